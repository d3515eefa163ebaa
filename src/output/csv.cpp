#include "output/csv.h"
#include "core/atomic_file.h"
#include "output/output.h"
#include "output/select.h"
#include "output/text.h"
#include <algorithm>
#include <limits>

namespace sinew {
namespace {
constexpr std::uint64_t kMaxFile = std::uint64_t(4) << 30; // [bytes] of a file to be continued or widened

// "kinetic_energy [J]" -> "kinetic_energy", "J"
std::pair<std::string, std::string> split_unit(const std::string& name) {
    const std::size_t open = name.rfind(" [");
    if (open == std::string::npos || name.back() != ']') return {name, ""};
    return {name.substr(0, open), name.substr(open + 2, name.size() - open - 3)};
}

void append_cell(std::string& out, std::string_view text) {
    if (text.find_first_of(",\"") == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += '"';
}

// cells of one line; quotes as append_cell writes them
std::vector<std::string> split_line(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            cells.back() += line[i++];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += line[i];
    }
    return cells;
}

std::string head(const CsvWriter& w) {
    std::string text = w.key + ",time";
    for (const std::string& name : w.columns) append_cell(text += ',', name);
    text += "\n";
    if (std::all_of(w.units.begin(), w.units.end(), [](const std::string& u) { return u.empty(); }))
        return text;
    text += "#,s";
    for (const std::string& unit : w.units) append_cell(text += ',', unit);
    return text + "\n";
}

bool parse_row(std::string_view line, double& frame, double& time) {
    const std::size_t comma = line.find(',');
    if (comma == line.npos) return false;
    const auto a = std::from_chars(line.data(), line.data() + comma, frame);
    const auto b = std::from_chars(line.data() + comma + 1, line.data() + line.size(), time);
    return a.ec == std::errc() && b.ec == std::errc();
}

// The file again with the present columns and only the rows wanted. Rows keep their text; new columns are at
// the end.
Errors rewrite(CsvWriter& w, const std::string& path, int last_frame, double last_time) {
    Bytes bytes;
    if (Errors e = read_file(path, kMaxFile, bytes); !e.empty()) return e;
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::string text = head(w);
    while (!rest.empty()) {
        const std::size_t newline = rest.find('\n');
        if (newline == rest.npos) break; // torn by an interrupted run
        const std::string_view line = rest.substr(0, newline);
        rest.remove_prefix(newline + 1);
        double frame = 0, time = 0;
        if (!parse_row(line, frame, time) || frame > last_frame || time > last_time) continue;
        text += line;
        const std::size_t cells = std::size_t(std::count(line.begin(), line.end(), ',')) + 1;
        if (cells < w.columns.size() + 2) text.append(w.columns.size() + 2 - cells, ',');
        text += '\n';
    }
    if (Errors e = write_atomically(path, as_bytes(text)); !e.empty()) return e;
    w.head_written = true;
    w.end = text.size();
    return open_to_update(path, w.file);
}
} // namespace

Errors CsvWriter::open(const std::string& path) {
    columns.clear();
    units.clear();
    head_written = false;
    end = 0;
    return open_to_create(path, file);
}

Errors CsvWriter::resume(const std::string& path, int last_frame, double last_time) {
    columns.clear();
    units.clear();
    Bytes bytes;
    if (Errors e = read_file(path, kMaxFile, bytes); !e.empty()) return e;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t first = text.find('\n');
    if (first == text.npos) return open(path); // nothing there yet
    const std::vector<std::string> names = split_line(text.substr(0, first));
    if (names.size() < 2 || names[0] != key || names[1] != "time")
        return {file_error(path, "cannot continue: the file has no columns " + key + " and time")};
    columns.assign(names.begin() + 2, names.end());
    units.resize(columns.size());
    if (first + 1 < text.size() && text[first + 1] == '#') {
        const std::string_view line = text.substr(first + 1, text.find('\n', first + 1) - first - 1);
        const std::vector<std::string> cells = split_line(line);
        for (std::size_t i = 0; i < units.size() && i + 2 < cells.size(); ++i) units[i] = cells[i + 2];
    }
    return rewrite(*this, path, last_frame, last_time);
}

Errors CsvWriter::row(int frame, double time, const Numbers& numbers) {
    if (!is_open(file)) return {file_error(file.path, "the file is not open")};
    // values by column; new columns at the end
    std::vector<std::optional<double>> values(columns.size());
    const std::size_t known = columns.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        auto [name, unit] = split_unit(numbers[i].first);
        // numbers come in the same order row after row
        std::size_t c = i < columns.size() && columns[i] == name
                            ? i
                            : std::size_t(std::find(columns.begin(), columns.end(), name) - columns.begin());
        if (c == columns.size()) {
            columns.push_back(std::move(name));
            units.push_back(std::move(unit));
            values.emplace_back();
        }
        values[c] = numbers[i].second;
    }
    if (head_written && columns.size() > known) {
        const std::string path = file.path;
        if (Errors e = rewrite(*this, path, std::numeric_limits<int>::max(),
                               std::numeric_limits<double>::infinity());
            !e.empty())
            return e;
    }
    std::string text = head_written ? "" : head(*this);
    append_integer(text, frame);
    append_number(text += ',', time, false);
    for (const std::optional<double>& v : values) {
        text += ',';
        if (v) append_number(text, *v, false);
    }
    text += '\n';
    if (Errors e = write_at(file, end, as_bytes(text)); !e.empty()) {
        truncate(file, end);
        return e;
    }
    head_written = true;
    end += text.size();
    return {};
}

Errors CsvWriter::close() {
    if (!is_open(file)) return {};
    Errors errors;
    if (!head_written) errors = write_at(file, 0, as_bytes(head(*this)));
    add_errors(errors, sync(file));
    add_errors(errors, sinew::close(file));
    return errors;
}

namespace {
struct CsvExporter final : Exporter {
    ExporterSettings settings;
    CsvWriter writer;

    Errors open(const std::string& path, const SnapshotLayout&) override { return writer.open(path); }
    Errors resume(const std::string& path, const SnapshotLayout&, int last_frame) override {
        return writer.resume(path, last_frame, std::numeric_limits<double>::infinity());
    }
    Errors change_layout(const SnapshotLayout&) override { return {}; }
    Errors write(const Snapshot& s) override {
        Numbers numbers;
        for (const auto& number : s.numbers)
            if (matches_any(settings.fields, split_unit(number.first).first)) numbers.push_back(number);
        return writer.row(s.frame, s.time, numbers);
    }
    Errors close() override { return writer.close(); }
};
} // namespace

std::unique_ptr<Exporter> make_csv_exporter(const ExporterSettings& settings) {
    auto exporter = std::make_unique<CsvExporter>();
    exporter->settings = settings;
    return exporter;
}

} // namespace sinew
