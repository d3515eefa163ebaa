#include "core/atomic_file.h"
#include "output/samples.h"
#include <sys/stat.h>
#include <unistd.h>

namespace sinew {

TEST(AtomicFile, appears_complete_and_only_on_commit) {
    TemporaryFolder folder;
    const std::string path = folder.path("a.txt");
    write_text_file(path, "old");
    AtomicFile file;
    ASSERT_NO_ERRORS(file.open(path));
    ASSERT_NO_ERRORS(file.write("hello"));
    ASSERT_NO_ERRORS(file.release());
    EXPECT_EQ(read_text_file(path), "old");
    ASSERT_NO_ERRORS(file.write(" world"));
    ASSERT_NO_ERRORS(file.patch(0, as_bytes("J")));
    ASSERT_NO_ERRORS(file.commit());
    EXPECT_EQ(read_text_file(path), "Jello world");
    EXPECT_EQ(folder.files(), std::vector<std::string>{"a.txt"});
}

TEST(AtomicFile, is_read_back_and_started_anew_before_it_is_committed) {
    TemporaryFolder folder;
    const std::string path = folder.path("a.txt");
    AtomicFile file;
    std::uint8_t back[3] = {};
    EXPECT_EQ(file.read_back(0, back).size(), 1u); // not open yet
    ASSERT_NO_ERRORS(file.open(path));
    ASSERT_NO_ERRORS(file.write("hello"));
    EXPECT_EQ(file.position(), 5u);
    ASSERT_NO_ERRORS(file.read_back(2, back));
    EXPECT_EQ(std::string(back, back + 3), "llo");
    EXPECT_EQ(file.read_back(3, back).size(), 1u); // beyond the end
    ASSERT_NO_ERRORS(file.write(" world"));
    EXPECT_EQ(file.position(), 11u);
    ASSERT_NO_ERRORS(file.restart());
    EXPECT_EQ(file.position(), 0u);
    ASSERT_NO_ERRORS(file.write("bye"));
    ASSERT_NO_ERRORS(file.commit());
    EXPECT_EQ(read_text_file(path), "bye");
}

TEST(AtomicFile, destroyed_without_commit_leaves_the_old_file_and_no_rubbish) {
    TemporaryFolder folder;
    const std::string path = folder.path("a.txt");
    write_text_file(path, "old");
    {
        AtomicFile file;
        ASSERT_NO_ERRORS(file.open(path));
        ASSERT_NO_ERRORS(file.write("new"));
    }
    EXPECT_EQ(read_text_file(path), "old");
    EXPECT_EQ(folder.files(), std::vector<std::string>{"a.txt"});
}

TEST(AtomicFile, two_writers_of_one_path_do_not_share_a_temporary_file) {
    TemporaryFolder folder;
    AtomicFile a, b;
    ASSERT_NO_ERRORS(a.open(folder.path("x")));
    ASSERT_NO_ERRORS(b.open(folder.path("x")));
    EXPECT_NE(a.temporary, b.temporary);
    ASSERT_NO_ERRORS(a.write("a"));
    ASSERT_NO_ERRORS(b.write("b"));
    ASSERT_NO_ERRORS(a.commit());
    ASSERT_NO_ERRORS(b.commit());
    EXPECT_EQ(read_text_file(folder.path("x")), "b");
}

TEST(AtomicFile, a_full_disk_is_an_error_with_path_and_reason) {
    TemporaryFolder folder;
    const std::string path = folder.path("big");
    write_text_file(path, "old");
    Errors errors;
    {
        SmallDisk disk(1000);
        errors = write_atomically(path, as_bytes(std::string(5000, 'x')));
    }
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].file, path);
    EXPECT_EQ(errors[0].message, "cannot write: File too large");
    EXPECT_EQ(read_text_file(path), "old");
    EXPECT_EQ(folder.files(), std::vector<std::string>{"big"});
}

TEST(AtomicFile, the_full_device_is_an_error) {
    File file;
    ASSERT_NO_ERRORS(open_to_update("/dev/full", file));
    const Errors errors = write_at(file, 0, as_bytes("x"));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].file, "/dev/full");
    EXPECT_EQ(errors[0].message, "cannot write: No space left on device");
}

TEST(AtomicFile, a_missing_folder_is_an_error_with_path_and_reason) {
    TemporaryFolder folder;
    const std::string path = folder.path("no/such/folder/a.obj");
    const Errors errors = write_atomically(path, as_bytes("x"));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].file, path);
    EXPECT_EQ(errors[0].message, "cannot create: No such file or directory");
}

TEST(AtomicFile, a_folder_of_that_name_is_an_error_before_anything_is_written) {
    TemporaryFolder folder;
    std::filesystem::create_directory(folder.path("a.obj"));
    const Errors errors = write_atomically(folder.path("a.obj"), as_bytes("x"));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot create: Is a directory");
}

TEST(AtomicFile, no_permission_is_an_error) {
    if (::geteuid() == 0) {
        // root may write everywhere but into kernel file systems
        const Errors errors = write_atomically("/proc/sinew_test", as_bytes("x"));
        ASSERT_EQ(errors.size(), 1u);
        EXPECT_EQ(errors[0].file, "/proc/sinew_test");
        EXPECT_NE(errors[0].message.find("cannot create: "), std::string::npos);
        return;
    }
    TemporaryFolder folder;
    ::chmod(folder.folder.c_str(), 0500);
    const Errors errors = write_atomically(folder.path("a"), as_bytes("x"));
    ::chmod(folder.folder.c_str(), 0700);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot create: Permission denied");
}

TEST(File, reading_folders_devices_and_pipes_is_refused_without_hanging) {
    TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
    File file;
    EXPECT_EQ(open_to_read(folder.path("pipe"), file).size(), 1u);
    EXPECT_EQ(open_to_read("/dev/zero", file).size(), 1u);
    const Errors errors = open_to_read(folder.folder.string(), file);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot open: Is a directory");
}

TEST(File, a_whole_file_is_read_up_to_the_allowed_size) {
    TemporaryFolder folder;
    write_text_file(folder.path("a"), "12345");
    Bytes bytes;
    ASSERT_NO_ERRORS(read_file(folder.path("a"), 5, bytes));
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "12345");
    EXPECT_EQ(read_file(folder.path("a"), 4, bytes).size(), 1u);
}

} // namespace sinew
