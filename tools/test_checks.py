#!/usr/bin/env python3
"""Feeds the checks of this folder tiny trees, good and bad, and demands the right verdict on each.

length: a case reads best on one line
"""
import importlib
import sys
import tempfile
import unittest
from pathlib import Path
from subprocess import run

from cpp_functions import find_functions

TOOLS = Path(__file__).resolve().parent


def run_check(name: str, files: dict, *options: str):
    """Exit status and output of tools/<name>.py on a tree made of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        result = run([sys.executable, TOOLS / f"{name}.py", "--root", folder, *options], capture_output=True, text=True,
                     check=False)
        return result.returncode, result.stdout + result.stderr


class CheckTest(unittest.TestCase):
    def accept(self, name, files):
        status, output = run_check(name, files)
        self.assertEqual(status, 0, f"{files}\n{output}")

    def refuse(self, name, files, words):
        status, output = run_check(name, files)
        self.assertEqual(status, 1, f"{files}\n{output}")
        self.assertIn(words, output)
        self.assertNotIn("Traceback", output)


class Layers(CheckTest):
    def test_lower_folders_and_public_headers_may_be_included(self):
        self.accept("check_layers", {
            "include/sinew/a.h": "#include <vector>\n#include \"sinew/b.h\"\n",
            "src/core/a.h": "#include <atomic>\n#include <tbb/parallel_for.h>\n",
            "src/linalg/a.cpp": "#include \"core/a.h\"\n#include <Eigen/Sparse>\n#include <cholmod.h>\n",
            "src/solver/a.cpp": "#include \"energy/a.h\"\n#include \"sinew/a.h\"\n#include <Eigen/Core>\n",
            "src/simulate.cpp": "#include \"solver/a.h\"\n#include \"output/a.h\"\n",
            "app/main.cpp": "#include <CLI/CLI.hpp>\n#include \"scene/a.h\"\n#include \"own.h\"\n",
            "app/own.h": "",
        })

    def test_upward_and_sideways_includes_are_refused(self):
        self.refuse("check_layers", {"src/core/a.h": '#include "linalg/a.h"\n'}, "core/ may not include linalg/")
        self.refuse("check_layers", {"src/energy/a.h": '\n#  include "collision/a.h"\n'}, "src/energy/a.h:2")
        self.refuse("check_layers", {"src/render/a.cpp": '#include "output/a.h"\n'}, "may not include output/")
        self.refuse("check_layers", {"src/scene/a.cpp": '#include "simulate.h"\n', "src/simulate.h": ""},
                    "may not include simulate")
        self.refuse("check_layers", {"src/core/a.cpp": '#include "a.h"\n', "src/core/a.h": ""}, "write the folder")
        self.refuse("check_layers", {"src/misc/a.h": ""}, "has no rank")

    def test_headers_have_one_home(self):
        for header, folder in (("thread", "solver"), ("atomic", "linalg"), ("mutex", "output"),
                               ("tbb/parallel_for.h", "linalg"), ("oneapi/tbb/info.h", "geometry"),
                               ("Eigen/Sparse", "energy"), ("Eigen/SparseCore", "core"), ("Eigen/Dense", "energy"),
                               ("cholmod.h", "solver"), ("suitesparse/cholmod.h", "model"), ("cblas.h", "core"),
                               ("embree3/rtcore.h", "geometry"), ("CLI/CLI.hpp", "scene")):
            self.refuse("check_layers", {f"src/{folder}/a.cpp": f"#include <{header}>\n"}, header)
        self.refuse("check_layers", {"app/main.cpp": "#include <thread>\n"}, "threads live in")
        self.refuse("check_layers", {"app/view_loop.cpp": "#include <boost/asio.hpp>\n"}, "the network lives in")
        self.accept("check_layers", {"app/view_server.cpp": "#include <thread>\n#include <boost/asio.hpp>\n"})

    def test_public_headers_are_standard_only(self):
        for line in ("<Eigen/Core>", "<fmt/core.h>", '"core/math.h"', "<zstd.h>"):
            self.refuse("check_layers", {"include/sinew/a.h": f"#include {line}\n"}, "standard headers")

    def test_includes_in_comments_do_not_count(self):
        self.accept("check_layers", {"src/core/a.h": '// #include "solver/a.h"\n/*\n#include "app/a.h"\n*/\n'})


class Functions(unittest.TestCase):
    def names(self, text):
        return [function.name for function in find_functions(text)]

    def test_functions_are_found_where_they_are(self):
        self.assertEqual(self.names("int f(int a) { return a; }"), ["f"])
        self.assertEqual(self.names("namespace a::b {\nstruct S : B<int> { S() : x{1}, y(2) { g(); } int x{3}; };\n}"),
                         ["S"])
        self.assertEqual(self.names("template <int N = (3 > 2)> auto S<N>::f() const -> int { return 1; }"), ["f"])
        self.assertEqual(self.names("template <class T> requires requires(T t) { t.x; } void f(T) {}"), ["f"])
        self.assertEqual(self.names("void f(A a = {1, 2}, int b = 3) {}"), ["f"])
        self.assertEqual(self.names("bool operator()(int) const { return true; }"), ["operator()"])
        self.assertEqual(self.names("TEST(suite, words) { EXPECT_TRUE(true); }"), ["TEST(suite, words)"])
        self.assertEqual(self.names("#if A\nint f() {\n#else\nint f(int) {\n#endif\n return 1; }\nint g() {}"), ["f", "g"])

    def test_what_is_no_function_is_not_found(self):
        for text in ("int a[] = {1, {2}, 3};", "enum class E : int { a, b };", "struct S { int x{3}; };",
                     "template <class T> concept C = requires(T t) { t.x; };", "int x{3};",
                     "#define F(x) int f() { \\\n }\n", "// int f() {\n", '/* int f() { } */',
                     'auto s = "int f() {"; auto c = \'{\';', 'auto s = R"x(int f() { " })x";'):
            self.assertEqual(self.names(text), [], text)

    def test_braces_in_literals_do_not_end_a_function(self):
        text = 'void f() {\n  g("}", \'}\', R"(})", 1\'000); // }\n  /* } */\n}\nvoid h() {\n}\n'
        self.assertEqual([(f.name, f.begin, f.end) for f in find_functions(text)], [("f", 1, 4), ("h", 5, 6)])

    def test_lambdas_count_in_their_function_or_on_their_own(self):
        self.assertEqual(self.names("void f() { auto g = [&](int a) { return a; }; }"), ["f"])
        self.assertEqual(self.names("const auto f = [](int a) { return a; };"), ["f"])
        self.assertEqual(self.names('Row rows[] = {{"a", [](int a, int b) -> double { return a; }}};'), ["(lambda)"])


class Lengths(CheckTest):
    def test_limits(self):
        body = "    g();\n"
        self.accept("check_lengths", {"src/core/a.cpp": "void f() {\n" + 98 * body + "}\n"})
        self.refuse("check_lengths", {"src/core/a.cpp": "void f() {\n" + 99 * body + "}\n"}, "101 lines in f")
        self.accept("check_lengths", {"src/core/a.cpp": 800 * "int x;\n"})
        self.refuse("check_lengths", {"src/core/a.cpp": 801 * "int x;\n"}, "801 lines, the limit is 800")
        self.refuse("check_lengths", {"test/core/a_test.cpp": "TEST(a, b) {\n" + 120 * body + "}\n"}, "TEST(a, b)")
        self.refuse("check_lengths", {"tools/a.py": "def f():\n" + 100 * "    g()\n"}, "101 lines in f")
        self.accept("check_lengths", {"src/energy/generated/a.cpp": 900 * "int x;\n"})

    def test_soft_limits_are_listed(self):
        _, output = run_check("check_lengths", {"src/core/a.cpp": 401 * "int x;\n" + "// " + 120 * "x" + "\n"})
        self.assertNotIn("aim at", output)
        self.assertIn("2 long, but allowed", output)
        _, output = run_check("check_lengths", {"src/core/a.cpp": 401 * "int x;\n" + "// " + 120 * "x" + "\n"}, "--verbose")
        self.assertIn("402 lines, aim at 400", output)
        self.assertIn("1 lines over 110 columns: 402", output)
        _, output = run_check("check_lengths", {"src/core/a.cpp": "// length: one table\n" + 401 * "int x;\n"})
        self.assertIn("0 long", output)


class Docs(CheckTest):
    def test_living_paths(self):
        self.accept("check_docs", {
            "README.md": "See `src/core/a.h`, `core/a.h`, `docs/x.md`, [x](docs/x.md#a-title) and `scenes/*.json`.\n"
                         "`build/release/sinew`, `src/<name>.h`, `a/b`, [web](https://example.org/none), `and/or`.\n"
                         "```\nsinew run scenes/a.json\n```\n",
            "docs/x.md": "# A title\nBack to [the top](../README.md), `x.md`.\n",
            "src/core/a.h": "", "scenes/a.json": "{}",
        })

    def test_dead_paths(self):
        good = {"src/core/a.h": "", "docs/x.md": "# A title\n"}
        for text in ("`src/core/b.h`", "`core/b.h`", "[x](docs/y.md)", "[x](docs/x.md#no-title)", "`docs/*.txt`",
                     "```\nless src/core/b.h\n```", "`CONTRIBUTING.md`", "run `cat src/none/a.h`"):
            self.refuse("check_docs", {**good, "README.md": text + "\n"}, "README.md:")


class Words(CheckTest):
    def test_machine_paths_and_names_are_refused(self):
        for folder in ("work", "root", "home"):
            self.refuse("check_words", {"docs/a.md": f"see /{folder}/someone/file\n"}, "absolute path")
        self.refuse("check_words", {"src/core/a.cpp": "// TO" "DO: later\n"}, "issue")
        self.refuse("check_words", {"src/core/a.h": "struct ContactManager {\n"}, "says nothing")
        self.refuse("check_words", {"src/core/a.h": "int get_count() { return 1; }\n"}, "get_")

    def test_ordinary_text_is_accepted(self):
        self.accept("check_words", {
            "docs/a.md": "a network/root/path, https://x.org/home/page, the `work/` folder\n",
            "src/core/a.cpp": "// TO" "DO(#12) later\nstd::get_if<int>(&x);\nstruct Database {};\n"})


class Coverage(CheckTest):
    header = "id,capability,status,code,proof,note\n"

    def ledger(self, changed=()):
        rows = {f"{letter}{number}": f"{letter}{number},thing,open,,,"
                for letter, (count, _) in importlib.import_module("check_coverage").LETTERS.items()
                for number in range(1, count + 1)}
        for line in changed:
            rows[line.split(",")[0]] = line
        return self.header + "\n".join(rows.values()) + "\n"

    def files(self, *changed):
        return {"docs/coverage.csv": self.ledger(changed), "src/a.cpp": "", "scenes/a.json": '{"expect": []}',
                "scenes/b.json": "{}"}

    def test_good_ledgers(self):
        self.accept("check_coverage", self.files())
        self.accept("check_coverage", self.files("P1,thing,done,src/a.cpp,scenes/a.json,", "P2,x,partial,,,half"))

    def test_bad_rows(self):
        for row, words in (("P1,thing,done,src/b.cpp,scenes/a.json,", "no such path"),
                           ("P1,thing,done,src/a.cpp,scenes/c.json,", "no such scene"),
                           ("P1,thing,done,src/a.cpp,scenes/b.json,", "no expect"),
                           ("P1,thing,done,,scenes/a.json,", "done without code"),
                           ("P1,thing,done,src/a.cpp,,", "done without proof"),
                           ("P1,thing,ready,,,", "status 'ready'"), ("P1,,open,,,", "no capability"),
                           ("P158,thing,open,,,", "158 rows"), ("Q1,thing,open,,,", "not an id"),
                           ("P1,thing,open", "every line needs the columns")):
            self.refuse("check_coverage", self.files(row), words)

    def test_missing_and_double_ids(self):
        text = self.ledger()
        self.refuse("check_coverage", {"docs/coverage.csv": text.replace("A7,thing,open,,,\n", "")}, "A: 81 rows")
        self.refuse("check_coverage", {"docs/coverage.csv": text.replace("\nA7,", "\nA6,")}, "A6: 2 rows")

    def test_ctest_names_are_looked_up(self):
        check = importlib.import_module("check_coverage")
        row = {"status": "done", "capability": "x", "code": "", "proof": "hash.one; hash.*", "note": ""}
        self.assertEqual(len(check.check_row(Path("."), row, ["hash.one"])), 1)  # only: done without code
        self.assertEqual(len(check.check_row(Path("."), row, ["other.one"])), 3)

    def test_names_of_programs_that_are_not_built_are_not_looked_up(self):
        build = {"build/release/CTestTestfile.cmake": "add_test(hash.one true)\n", "build/release/test/core/test_core[1]_include.cmake": ""}
        files = {**self.files("P1,thing,done,src/a.cpp,hash.two,"), **build}
        status, output = run_check("check_coverage", files)
        self.assertEqual(status, 0, output)
        self.assertIn("1 CTest names were not looked up: not built are test_core", output)
        self.refuse("check_coverage", {**files, "build/release/test/core/test_core": ""}, "proof hash.two: no such CTest test")


class Lists(unittest.TestCase):
    """cmake/lists.cmake: headers of entries and the list of them agree."""

    HEADER = 'struct SpringA {\n    static constexpr std::string_view name = "spring_a";\n};\n'

    def configure(self, files):
        with tempfile.TemporaryDirectory() as folder:
            lists = TOOLS.parent / "cmake" / "lists.cmake"
            files = {"CMakeLists.txt": f'cmake_minimum_required(VERSION 3.25)\nproject(tiny NONE)\ninclude("{lists}")\n'
                                       "sinew_generate_list(energy make find rows sources)\n", **files}
            for path, text in files.items():
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, path).write_text(text, encoding="utf-8")
            result = run(["cmake", "-S", folder, "-B", folder + "/build"], capture_output=True, text=True, check=False)
            return result.returncode, " ".join((result.stdout + result.stderr).split())

    def test_an_entry_and_its_line(self):
        status, output = self.configure({"src/energy/list.h": "    struct SpringA>;\n", "src/energy/spring_a.h": self.HEADER,
                                         "src/energy/tools.h": "struct Tools { int name = 3; };\n"})
        self.assertEqual(status, 0, output)

    def test_one_without_the_other_is_refused(self):
        entry = {"src/energy/list.h": "    struct SpringA>;\n", "src/energy/spring_a.h": self.HEADER}
        for change, words in (({"src/energy/spring_b.h": self.HEADER}, "src/energy/spring_b.h defines an entry that src/energy/list.h does not name"),
                              ({"src/energy/spring_a.h": "struct SpringAB;\n"}, "src/energy/spring_a.h does not define it"),
                              ({"src/energy/list.h": "    struct SpringA,\n    struct SpringC>;\n"}, "there is no src/energy/spring_c.h")):
            status, output = self.configure({**entry, **change})
            self.assertNotEqual(status, 0, change)
            self.assertIn(words, output)


class Pages(unittest.TestCase):
    def test_a_program_with_energies_from_outside_does_not_fill_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            program, cache = Path(folder, "sinew"), Path(folder, "CMakeCache.txt")
            find = importlib.import_module("fill_pages").find_extra_energies
            self.assertEqual(find(program), "")
            cache.write_text("SINEW_EXTRA_ENERGIES:STRING=\nOTHER:STRING=x\n", encoding="utf-8")
            self.assertEqual(find(program), "")
            cache.write_text("SINEW_EXTRA_ENERGIES:STRING=a.h:A\n", encoding="utf-8")
            result = run([sys.executable, TOOLS / "fill_pages.py", "--check", "--sinew", program], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("SINEW_EXTRA_ENERGIES=a.h:A", result.stdout)


if __name__ == "__main__":
    unittest.main()
