#include "output/csv.h"
#include "output/output.h"
#include "output/samples.h"
#include <limits>

namespace sinew {

TEST(Csv, has_names_units_and_numbers_that_read_back_exactly) {
    TemporaryFolder folder;
    CsvWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("report.csv")));
    ASSERT_NO_ERRORS(
        writer.row(1, 0.1, {{"kinetic_energy [J]", 1.0 / 3}, {"steps", 4}, {"a,b [m/s]", -0.0}}));
    // readable while the run goes on
    EXPECT_EQ(read_text_file(folder.path("report.csv")), "frame,time,kinetic_energy,steps,\"a,b\"\n"
                                                         "#,s,J,,m/s\n"
                                                         "1,0.1,0.3333333333333333,4,-0\n");
    ASSERT_NO_ERRORS(writer.row(
        2, 0.2, {{"a,b [m/s]", 1e300}, {"kinetic_energy [J]", std::numeric_limits<double>::infinity()}}));
    ASSERT_NO_ERRORS(writer.close());
    const std::string text = read_text_file(folder.path("report.csv"));
    EXPECT_EQ(text.substr(text.rfind("\n2,")), "\n2,0.2,inf,,1e+300\n");
}

TEST(Csv, without_units_there_is_no_second_row_and_without_rows_only_the_head) {
    TemporaryFolder folder;
    CsvWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("a.csv")));
    ASSERT_NO_ERRORS(writer.row(1, 0, {{"n", 1}}));
    ASSERT_NO_ERRORS(writer.close());
    EXPECT_EQ(read_text_file(folder.path("a.csv")), "frame,time,n\n1,0,1\n");
    ASSERT_NO_ERRORS(writer.open(folder.path("b.csv")));
    ASSERT_NO_ERRORS(writer.close());
    EXPECT_EQ(read_text_file(folder.path("b.csv")), "frame,time\n");
}

TEST(Csv, a_column_that_appears_later_is_added_at_the_end) {
    TemporaryFolder folder;
    CsvWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("a.csv")));
    ASSERT_NO_ERRORS(writer.row(1, 0, {{"a", 1}}));
    ASSERT_NO_ERRORS(writer.row(2, 0.5, {{"b [m]", 2}, {"a", 3}}));
    ASSERT_NO_ERRORS(writer.row(3, 1, {{"a", 4}}));
    ASSERT_NO_ERRORS(writer.close());
    EXPECT_EQ(read_text_file(folder.path("a.csv")), "frame,time,a,b\n#,s,,m\n1,0,1,\n2,0.5,3,2\n3,1,4,\n");
    EXPECT_EQ(folder.files().size(), 1u);
}

TEST(Csv, several_rows_per_frame_are_cut_by_time_when_continued) {
    TemporaryFolder folder;
    CsvWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("a.csv")));
    for (int step = 0; step < 10; ++step)
        ASSERT_NO_ERRORS(writer.row(step / 4, step * 0.1, {{"step", double(step)}}));
    // torn in the middle of a row, as a killed run would leave it
    ASSERT_NO_ERRORS(write_at(writer.file, writer.end, as_bytes("2,1.0,1")));
    writer = CsvWriter();
    ASSERT_NO_ERRORS(writer.resume(folder.path("a.csv"), std::numeric_limits<int>::max(), 5 * 0.1));
    ASSERT_NO_ERRORS(writer.row(1, 0.6, {{"step", 6}}));
    ASSERT_NO_ERRORS(writer.close());
    EXPECT_EQ(
        read_text_file(folder.path("a.csv")),
        "frame,time,step\n0,0,0\n0,0.1,1\n0,0.2,2\n0,0.30000000000000004,3\n1,0.4,4\n1,0.5,5\n1,0.6,6\n");
}

TEST(Csv, foreign_files_are_not_continued) {
    TemporaryFolder folder;
    write_text_file(folder.path("a.csv"), "x,y\n1,2\n");
    CsvWriter writer;
    EXPECT_EQ(writer.resume(folder.path("a.csv"), 5, 1.0).size(), 1u);
    EXPECT_EQ(read_text_file(folder.path("a.csv")), "x,y\n1,2\n");
    EXPECT_EQ(writer.row(1, 0, {}).size(), 1u);
}

TEST(Csv, columns_are_chosen_by_fields) {
    TemporaryFolder folder;
    ExporterSettings settings;
    settings.fields = {"*energy", "iterations"};
    auto exporter = make_exporter("csv", settings);
    const SnapshotLayout layout = make_sample_layout();
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("report.csv"), layout));
    ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, 1001)));
    ASSERT_NO_ERRORS((*exporter.value)->close());
    EXPECT_EQ(read_text_file(folder.path("report.csv")),
              "frame,time,kinetic_energy,iterations\n#,s,J,\n1001,0,1001.1,7\n");
}

} // namespace sinew
