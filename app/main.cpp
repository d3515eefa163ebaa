// The sinew command.
#include "command.h"
#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

using namespace sinew;

namespace {

// a whole number from low to high, and nothing after it
CLI::Validator whole(int low, int high) {
    return CLI::Validator(
        [=](std::string& text) {
            const auto x = parse_whole(text);
            return x && *x >= low && *x <= high ? std::string() : fmt::format("{}: a whole number from {} to {} is expected", text, low, high);
        },
        "");
}
CLI::Validator real(double low, double high) {
    return CLI::Validator(
        [=](std::string& text) {
            const auto x = parse_real(text);
            return x && *x >= low && *x <= high ? std::string() : fmt::format("{}: a number from {} to {} is expected", text, low, high);
        },
        "");
}
constexpr int kMany = 1000000000, kMostThreads = 1024;

void add_run(CLI::App& app, int& code) {
    auto o = std::make_shared<RunOptions>();
    CLI::App* c = app.add_subcommand("run", "simulate a scene");
    c->add_option("scene", o->scene, "scene file, or a capsule.state to run again from its state")->required();
    c->add_option("--solver", o->solver, "instead of the scene's choice");
    c->add_option("--set", o->set, "path=value, for example sheet.edge=2cm; may be repeated");
    c->add_option("--out", o->out, "folder for the outputs; default out/<name>");
    c->add_option("--frames", o->frames, "stop after so many frames, or at the last of first-last; --resume goes on");
    c->add_option("--threads", o->threads, "worker threads; default: all this process may use")->check(whole(0, kMostThreads));
    c->add_option("--checkpoint-every", o->checkpoint_every, "frames between checkpoints; 0 = at the end only")->check(whole(0, kMany));
    c->add_flag("--overwrite", o->overwrite, "write into an existing folder");
    c->add_flag("--resume", o->resume, "continue from the folder's checkpoint");
    c->add_flag("--quiet", o->quiet, "say nothing but errors");
    c->add_flag("--json", o->json, "print a summary as JSON");
    c->add_flag("--hash", o->hash, "print the hash of the last state");
    c->add_flag("--drop-caches", o->drop_caches, "forget all caches before every step (the result must not change)");
    c->callback([o, &code] { code = command_run(*o); });
}

void add_check_and_test(CLI::App& app, int& code) {
    auto o = std::make_shared<CheckOptions>();
    CLI::App* c = app.add_subcommand("check", "check a scene without running it");
    c->add_option("scene", o->scene, "scene file")->required();
    c->add_option("--solver", o->solver, "instead of the scene's choice");
    c->add_option("--set", o->set, "path=value; may be repeated");
    c->add_option("--pictures", o->pictures, "folder for a picture of each defect found");
    c->add_flag("--overwrite", o->overwrite, "replace pictures that are there");
    c->callback([o, &code] { code = command_check(*o); });

    auto t = std::make_shared<TestOptions>();
    CLI::App* d = app.add_subcommand("test", "run scenes and check what they expect");
    d->add_option("paths", t->paths, "scene files or folders")->required();
    d->add_option("--solver", t->solver, "instead of the scenes' choice");
    d->add_option("--jobs", t->jobs, "scenes at once; 0 = one per processor")->check(whole(0, kMostThreads));
    d->add_option("--threads", t->threads, "worker threads of each scene; 0 = one where several run at once")->check(whole(0, kMostThreads));
    d->add_flag("--hash", t->hash, "print the hash of each last state");
    d->add_flag("--drop-caches", t->drop_caches, "forget all caches before every step");
    d->add_flag("--quiet", t->quiet, "only failures and the count");
    d->callback([t, &code] { code = command_test(*t); });

    auto m = std::make_shared<ModesOptions>();
    CLI::App* e = app.add_subcommand("modes", "lowest vibration modes of a scene about its start");
    e->add_option("scene", m->scene, "scene file")->required();
    e->add_option("--count", m->count, "modes, rigid ones included")->check(whole(1, 1000));
    e->add_option("--set", m->set, "path=value; may be repeated");
    e->add_option("--out", m->out, "shapes: film.sinew, each mode swings through a period of 24 frames; shape.obj, .ply ...: a file for each");
    e->add_option("--amplitude", m->amplitude, "of shapes: the largest displacement by the size of the scene");
    e->add_flag("--overwrite", m->overwrite, "replace files that are there");
    e->add_option("--threads", m->threads, "worker threads")->check(whole(0, kMostThreads));
    e->callback([m, &code] { code = command_modes(*m); });
}

void add_pictures(CLI::App& app, int& code) {
    auto o = std::make_shared<RenderOptions>();
    CLI::App* c = app.add_subcommand("render", "ray-trace a recording to PNG, APNG or MP4");
    c->add_option("recording", o->recording, "file.sinew")->required();
    c->add_option("--out", o->out, "film.png (APNG), film.mp4, frame_####.png; default: beside the recording");
    c->add_option("--color-by", o->color_by, "field: strain, speed, age, ...");
    c->add_option("--frames", o->frames, "first-last, or one for a still picture");
    c->add_option("--camera", o->camera, "eye and look_at: x,y,z,x,y,z[,degrees]");
    c->add_option("--size", o->size, "WIDTHxHEIGHT");
    c->add_option("--samples", o->samples, "rays per pixel")->check(whole(1, 1024));
    c->add_option("--fps", o->fps, "of the film")->check(real(0.001, 1000));
    c->add_option("--colors", o->colors, "palette of an APNG, 0 = all colours")->check(whole(0, 255));
    c->add_option("--limit", o->limit, "megabytes an APNG may have: coarser colours until it fits")->check(real(0, 2000));
    c->add_option("--set", o->set, "any other setting: name=value");
    c->add_option("--threads", o->threads, "worker threads")->check(whole(0, kMostThreads));
    c->add_flag("--overwrite", o->overwrite, "replace pictures and films that are there");
    c->add_flag("--quiet", o->quiet, "say nothing but errors");
    c->callback([o, &code] { code = command_render(*o); });

    auto v = std::make_shared<ConvertOptions>();
    CLI::App* d = app.add_subcommand("convert", "turn a recording into other formats");
    d->add_option("recording", v->recording, "file.sinew")->required();
    d->add_option("--to", v->to, "obj, ply, usd, vtk, pc2, mdd, csv")->required();
    d->add_option("--out", v->out, "file; default: beside the recording");
    d->add_option("--objects", v->objects, "names or patterns");
    d->add_option("--every", v->every, "every n-th frame")->check(whole(1, kMany));
    d->add_flag("--overwrite", v->overwrite, "replace files that are there");
    d->add_flag("--quiet", v->quiet, "say nothing but errors");
    d->callback([v, &code] { code = command_convert(*v); });
}

void add_view(CLI::App& app, int& code) {
    auto o = std::make_shared<ViewOptions>();
    CLI::App* c = app.add_subcommand("view", "look at a scene while it is simulated, or at a recording, in the browser");
    c->add_option("file", o->file, "scene file, or recording.sinew")->required();
    c->add_option("--port", o->port, "of 127.0.0.1; 0 = any that is free; default 8017")->check(whole(0, 65535));
    c->add_flag("--open", o->open, "open the browser (xdg-open)");
    c->add_flag("--paused", o->paused, "do not start by itself");
    c->add_flag("--loop", o->loop, "start again at the end");
    c->add_option("--speed", o->speed, "times real time; 0 = as fast as it goes; default 1")->check(real(0, 1000));
    c->add_option("--solver", o->solver, "of a scene: instead of its choice");
    c->add_option("--set", o->set, "of a scene: path=value, for example sheet.edge=2cm; may be repeated");
    c->add_option("--threads", o->threads, "of a scene: worker threads; default: all this process may use")->check(whole(0, kMostThreads));
    c->add_option("--page", o->page, "folder of the built page; default: web/ beside the program, or share/sinew/web");
    c->callback([o, &code] { code = command_view(*o); });
}

void add_mesh(CLI::App& app, int& code) {
    CLI::App* m = app.add_subcommand("mesh", "check, repair, decompose and fill mesh files");
    m->require_subcommand(1);
    auto o = std::make_shared<MeshOptions>();
    CLI::App* c = m->add_subcommand("check", "what a mesh is, and what is wrong with it");
    c->add_option("mesh", o->in, "file.obj, .ply or .stl")->required();
    c->add_option("--pictures", o->pictures, "folder for a picture of each defect found");
    c->add_flag("--overwrite", o->overwrite, "replace pictures that are there");
    c->callback([o, &code] { code = command_mesh_check(*o); });

    auto r = std::make_shared<MeshOptions>();
    CLI::App* d = m->add_subcommand("repair", "weld, drop degenerate and repeated polygons, orient, cut non-manifold edges");
    d->add_option("in", r->in, "file.obj, .ply or .stl")->required();
    d->add_option("out", r->out, "file to write: .obj, .ply or .stl")->required();
    d->add_option("--weld", r->weld, "distance below which vertices become one; 0 = identical, negative = never");
    d->add_option("--thin", r->thin, "height over longest edge below which a triangle has no area")->check(CLI::Range(0.0, 1.0));
    d->add_flag("--keep-orientation", r->keep_orientation, "turn no polygon over");
    d->add_flag("--keep-nonmanifold", r->keep_nonmanifold, "cut no edge and no vertex");
    d->add_flag("--keep-unused", r->keep_unused, "keep vertices that nothing uses");
    d->add_flag("--overwrite", r->overwrite, "replace the file if it is there");
    d->add_flag("--quiet", r->quiet, "say nothing but errors");
    d->callback([r, &code] { code = command_mesh_repair(*r); });

    auto h = std::make_shared<MeshOptions>();
    CLI::App* e = m->add_subcommand("decompose", "approximate a closed mesh by convex parts, one group each");
    e->add_option("in", h->in, "file.obj, .ply or .stl")->required();
    e->add_option("out", h->out, "file to write: .obj, .ply or .stl")->required();
    e->add_option("--concavity", h->concavity, "allowed distance from the mesh, as a part of its diagonal")->check(CLI::Range(1e-3, 1.0));
    e->add_option("--hulls", h->hulls, "at most so many parts")->check(CLI::Range(1, 4096));
    e->add_flag("--overwrite", h->overwrite, "replace the file if it is there");
    e->add_flag("--quiet", h->quiet, "say nothing but errors");
    e->callback([h, &code] { code = command_mesh_decompose(*h); });

    auto f = std::make_shared<MeshOptions>();
    CLI::App* g = m->add_subcommand("tets", "fill a closed mesh with tetrahedra (isosurface stuffing)");
    g->add_option("in", f->in, "file.obj, .ply or .stl")->required();
    g->add_option("--cell", f->cell, "side of the lattice's cubes, in the file's units")->required()->check(CLI::PositiveNumber);
    g->add_option("--out", f->out, "file to write: .msh (Gmsh), .node or .ele (TetGen, both)")->required();
    g->add_option("--offset", f->offset, "the solid grows by so many cells; 0.56 keeps what is thinner than a cell")->check(CLI::Range(0.0, 1.0));
    g->add_flag("--fill-holes", f->fill_holes, "close each loop of open edges by a polygon first");
    g->add_flag("--overwrite", f->overwrite, "replace the file if it is there");
    g->add_flag("--quiet", f->quiet, "say nothing but errors");
    g->callback([f, &code] { code = command_mesh_tets(*f); });
}

void add_bench(CLI::App& app, int& code) {
    auto b = std::make_shared<BenchOptions>();
    CLI::App* e = app.add_subcommand("bench", "times of scenes' steps, with memory and accuracy beside, as CSV");
    e->add_option("scenes", b->scenes, "scene files or folders");
    e->add_option("--solver", b->solver, "instead of the scenes' choice");
    e->add_option("--set", b->set, "path=value");
    e->add_option("--steps", b->steps, "steps per repeat")->check(whole(1, kMany));
    e->add_option("--repeats", b->repeats, "repeats; a step counts with the least of them")->check(whole(1, 100000));
    e->add_option("--threads", b->threads, "numbers of threads")->check(whole(1, kMostThreads));
    e->add_option("--out", b->out, "folder for one CSV per scene; default: standard output");
    e->add_flag("--overwrite", b->overwrite, "replace results that are there");
    auto before = std::make_shared<std::string>(), after = std::make_shared<std::string>();
    CLI::App* c = e->add_subcommand("compare", "changes between two results, beyond their noise");
    c->add_option("old", *before, "CSV of sinew bench, or a folder of them")->required();
    c->add_option("new", *after, "the same of later")->required();
    c->callback([before, after, &code] { code = command_bench_compare(*before, *after); });
    e->callback([e, b, &code] {
        if (!e->got_subcommand("compare")) code = command_bench(*b);
    });
}

void add_help(CLI::App& app, int& code) {
    auto l = std::make_shared<ListOptions>();
    CLI::App* c = app.add_subcommand("list", "kinds, solvers, energies, fields, outputs, materials");
    c->add_option("what", l->what, "one of the lists");
    c->add_flag("--support", l->support, "which solver takes which bodies");
    c->add_flag("--markdown", l->markdown, "as a Markdown table");
    c->callback([l, &code] { code = command_list(*l); });

    auto name = std::make_shared<std::string>();
    auto page = std::make_shared<bool>(false);
    CLI::App* d = app.add_subcommand("explain", "parameters of a kind, solver, energy, field, output, section or material");
    d->add_option("name", *name, "for example cloth_grid");
    d->add_flag("--page", *page, "the whole language as a Markdown page");
    d->callback([name, page, &code] { code = command_explain(*name, *page); });
    app.add_subcommand("schema", "JSON Schema of scene files, for editors")->callback([&code] { code = command_schema(); });

    auto s = std::make_shared<StudyOptions>();
    CLI::App* g = app.add_subcommand("study", "run a scene in variants: numbers, a plot, a verdict per claim");
    g->add_option("study", s->path, "file.study.json, or a folder of them")->required();
    g->add_option("--out", s->out, "folder for CSV, SVG and verdicts; default out/study");
    g->add_option("--page", s->page, "Markdown page of all of them to write");
    g->add_flag("--resume", s->resume, "leave studies alone whose results are there");
    g->add_flag("--overwrite", s->overwrite, "replace results that are there");
    g->add_flag("--quiet", s->quiet, "say nothing but errors");
    g->callback([s, &code] { code = command_study(*s); });
}

// What is still in the buffer would be lost without a word: a full disk or a closed pipe is a failure like any other.
int finish(int code) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
    fmt::print(stderr, "error: standard output: cannot be written: {}\n", std::strerror(errno));
    return code == kOk ? kFailed : code;
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN); // a write beyond a limit of size fails and is named, instead of ending the process
    CLI::App app{"sinew: one simulation engine, one scene file, numbers you can trust"};
    app.require_subcommand(0, 1);
    bool show_version = false;
    app.add_flag("--version", show_version, "version, libraries, licences");
    int code = kOk;
    add_run(app, code);
    add_check_and_test(app, code);
    add_pictures(app, code);
    add_view(app, code);
    add_mesh(app, code);
    add_help(app, code);
    add_bench(app, code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return finish(app.exit(e) == 0 ? kOk : kBadInput);
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: not enough memory for this scene\n");
        return kFailed;
    } catch (const std::exception& e) {
        fmt::print(stderr, "error: {}\n", e.what());
        return kFailed;
    }
    if (show_version) command_version();
    else if (app.get_subcommands().empty()) fmt::print("{}", app.help());
    return finish(code);
}
