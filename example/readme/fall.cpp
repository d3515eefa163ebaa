#include <sinew/sinew.h>
int main() {
    sinew::Context context;
    auto scene = sinew::load(context, "drape.json");
    auto built = sinew::build(context, *scene.value);
    auto& [model, now, solver, script, dt, notes] = *built.value;
    sinew::State spare = now;  sinew::Report report;
    while (now.time < 0.2) sinew::advance(*solver, model, {}, now, spare, dt, report);
    return sinew::points(model, now, sinew::find(model, "sheet"))[0].y < 0.3 ? 0 : 1;
}
