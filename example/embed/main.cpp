// How another program uses Sinew: a level from a file, a lift moved by the program, an object thrown in and
// taken out again, a state saved and restored. Every answer is checked; the exit code is the number of the
// check that failed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sinew/query.h>
#include <sinew/sinew.h>

static int checks = 0;
static void check(bool ok, const char* what) {
    ++checks;
    if (ok) return;
    std::fprintf(stderr, "check %d failed: %s\n", checks, what);
    std::exit(checks);
}
static void print(const std::vector<sinew::Error>& errors) {
    for (const sinew::Error& e : errors) std::fprintf(stderr, "%s\n", sinew::to_string(e).c_str());
}

// a misspelt word comes back as an error with the nearest known one; nothing is thrown or printed
static void check_errors(const sinew::Context& context) {
    auto scene = sinew::parse(context, R"({ "objects": { "ball": { "kind": "sphere", "radus": 1 } } })");
    if (scene) scene.errors = sinew::build(context, *scene.value).errors;
    check(!scene.errors.empty(), "an unknown key is an error");
    check(scene.errors[0].nearest == "radius", "the nearest word is named");
    check(!sinew::load(context, "no such file.json"), "a missing file is an error");
}

// the scene's events run where the program calls them, and a restored run knows what has happened
static void check_events(const sinew::Context& context) {
    auto scene = sinew::parse(context, R"({ "time": { "dt": 0.01, "seconds": 1 },
        "objects": { "ball": { "kind": "particles", "positions": [[0, 1, 0]], "mass": 1 } },
        "attach": [ { "points": { "of": "ball" }, "to": "world" } ],
        "events": [ { "at": 0.5, "release": "ball" } ], "solver": "explicit" })");
    auto built = sinew::build(context, *scene.value), fresh = sinew::build(context, *scene.value);
    print(built.errors);
    check(built && fresh, "the scene with an event builds");
    auto& [model, now, solver, script, dt, notes] = *built.value;
    sinew::State spare = now, middle;
    sinew::Input input;
    sinew::Report report;
    std::size_t happened = 0;
    while (now.time < 1 - dt / 2) {
        happened += sinew::script_events(*script, model, now, report).size();
        print(sinew::script_input(*script, model, now, dt, input));
        sinew::advance(*solver, model, input, now, spare, dt, report);
        if (now.time < 0.75) middle = now;
    }
    check(happened == 1, "the event has happened once");
    const double y = now.point.x[0].y;
    check(y < 1 - 0.5 * 9.81 * 0.25 + 0.1 && y > -1, "the released ball has fallen for half a second");

    sinew::replay_events(*fresh.value->script, fresh.value->model, middle);
    while (middle.time < 1 - dt / 2) {
        print(sinew::script_input(*fresh.value->script, fresh.value->model, middle, dt, input));
        sinew::advance(*fresh.value->solver, fresh.value->model, input, middle, spare, dt, report);
    }
    check(sinew::hash(middle) == sinew::hash(now), "the same bits from the middle on");
}

int main() {
    sinew::Context context;
    context.threads = 1;
    int told = 0;
    context.log = [&](sinew::LogLevel, std::string_view) { ++told; };
    std::printf("sinew %s\n", sinew::version());
    check_errors(context);
    check_events(context);

    auto scene = sinew::load(context, "level.json");
    print(scene.errors);
    check(bool(scene), "the level loads");
    auto crate = sinew::parse(
        context, R"({ "objects": { "crate": { "kind": "box", "size": [0.3, 0.3, 0.3], "mass": 5 } } })");
    check(bool(crate), "the crate parses");
    auto built = sinew::build(context, *scene.value);
    print(built.errors);
    check(bool(built), "the level builds");
    told = 0;
    const auto again = sinew::build(context, *scene.value);
    check(again && told == int(again.value->notes.size()), "every note of the build is told to the log");
    auto& [model, now, solver, script, dt, notes] = *built.value;
    sinew::State spare = now;
    const sinew::Id lift = sinew::find(model, "lift"), cape = sinew::find(model, "cape");
    check(lift && cape && !sinew::find(model, "nobody"), "objects are found by name");
    check(sinew::points(model, now, cape).size() == 81, "the cape has 9 x 9 points");
    check(sinew::triangles(model, cape).size() == 128, "the cape has 8 x 8 x 2 triangles");

    sinew::Input input;
    sinew::Report report;
    const auto run = [&](int steps) {
        for (int i = 0; i < steps; ++i) {
            input.targets = {{lift, {{0, 0.1 * std::sin(now.time + dt), 0}, {}}}};
            if (sinew::advance(*solver, model, input, now, spare, dt, report) != sinew::Status::ok) {
                std::fprintf(stderr, "%s\n", report.message.c_str());
                return false;
            }
        }
        return true;
    };

    // the lift is where the program puts it, the cape hangs down from its held edge
    check(run(600), "half a second of steps");
    check(std::abs(now.time - 600 * dt) < 1e-9, "time advances by dt");
    check(std::abs(sinew::pose(model, now, lift).position.y - 0.1 * std::sin(now.time)) < 1e-12,
          "the lift follows its target");
    double lowest = 10;
    for (const sinew::Real3& x : sinew::points(model, now, cape)) lowest = std::min(lowest, x.y);
    check(lowest < 1.7 && lowest > -1.1, "the cape has fallen and is held");

    // what is below? the lift's upper face; from far outside the floor
    const sinew::QueryPtr query = sinew::make_query(context);
    check(sinew::update(*query, model, now), "the query takes the state");
    const auto hit = sinew::cast_ray(*query, {0.4, 1, 0.4}, {0, -1, 0});
    check(hit && hit->object == lift && std::abs(hit->position.y - (0.1 * std::sin(now.time) + 0.1)) < 1e-8,
          "the ray meets the lift");
    const auto floor = sinew::find_closest(*query, {20, 0, 20});
    check(floor && floor->object == sinew::find(model, "floor") && std::abs(floor->distance - 1) < 1e-9,
          "the floor is a metre below");
    check(sinew::find_overlaps(*query, {sinew::Shape::sphere, {0.3, 0, 0}}, {{0, 2, -0.5}, {}}).size() > 1,
          "the held edge of the cape is where it was");

    // from a saved state the same steps give the same bits
    print(sinew::save(now, "embed.state"));
    check(run(100), "steps after the save");
    const std::uint64_t expected = sinew::hash(now);
    auto saved = sinew::restore(model, "embed.state");
    print(saved.errors);
    std::remove("embed.state");
    check(bool(saved), "the state is restored");
    now = *saved.value;
    check(run(100), "steps after the restore");
    check(sinew::hash(now) == expected, "the same state hash");

    // objects come and go between steps; ids stay valid
    auto id = sinew::spawn(model, now, *crate.value, {{3, 5, 0}, {}}, "thrown");
    print(id.errors);
    check(bool(id) && sinew::find(model, "thrown") == *id.value, "a crate is thrown in");
    check(!sinew::spawn(model, now, *crate.value, {}, "thrown"), "its name is taken");
    check(sinew::vertices(model, now, *id.value).size() >= 8, "it has corners to draw");
    const double start = now.time;
    check(run(200), "steps with the crate");
    const double t = now.time - start, fallen = 5 - sinew::pose(model, now, *id.value).position.y;
    check(std::abs(fallen - 0.5 * 9.81 * t * t) < 9.81 * t * dt,
          "the crate falls by g t^2 / 2, within the step's error");
    check(sinew::points(model, now, cape).size() == 81, "the cape's id is still valid");
    auto hook = sinew::connect(model, now, sinew::kWorldId, *id.value, R"({ "kind": "ball" })");
    check(bool(hook), "a joint holds it to the world");
    check(!sinew::connect(model, now, *id.value, *id.value, R"({ "kind": "ball" })"), "a body is not joined to itself");
    check(sinew::remove(model, now, *hook.value), "it is let go");
    check(sinew::remove(model, now, *id.value), "the crate is taken out");
    check(!sinew::find(model, "thrown"), "its name is gone");
    check(!sinew::remove(model, now, *id.value), "a removed id is refused");
    check(sinew::vertices(model, now, *id.value).empty(), "there is nothing left to draw");
    check(run(20), "steps without the crate");

    std::printf("%d checks passed\n", checks);
    return 0;
}
