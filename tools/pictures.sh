#!/bin/bash
# Runs scenes and draws a frame of each to out/pictures/<name>.png (docs/gallery.md): the elastic scenes coloured by strain, those of
# the solver position in their own colours unless they are about strain, those of rigid bodies in their own.
#   tools/pictures.sh [name ...]     only these, or all of a folder (position, demo, verify, rigid, joints, articulated); --quick first: a quarter of the pixels
#                                    --docs first: 480 pixels wide, copied to docs/pictures/, which the page shows
set -euo pipefail
cd "$(dirname "$0")/.."
sinew=build/release/sinew
size=640x400
if [ "${1:-}" = --quick ]; then
    size=320x200
    shift
fi
docs=
if [ "${1:-}" = --docs ]; then
    size=480x300 docs=docs/pictures
    mkdir -p $docs
    shift
fi
if [ ! -x $sinew ]; then
    echo "pictures: $sinew is missing; 'make' builds it" >&2
    exit 1
fi
# folder/scene[:frame][@field]: the last frame unless one is named; coloured by the field, strain unless one is named, own = the scene's colours
scenes=(
    demo/cantilevers demo/cloth_over_sphere demo/draped_sheet demo/flag demo/hanging_beam demo/hills@own demo/hanging_sheet
    demo/inflated_balloon demo/plastic_bar demo/plectoneme demo/rod_twist demo/sheared_sheet:33 demo/squeezed_block:36 demo/twisting_beam
    verify/c_t5_free_twist:10 verify/p_lame_ball verify/p_v14_cantilever verify/p_v33_plastic_bar
    verify/t_rod_cantilever verify/t_t07_directional_modulus verify/t_t14_rest_angle verify/t_t14_rest_scale verify/t_t92_cantilevers verify/t_t93_bent_hinge
    position/box_pile@own position/box_stack@own position/cloth_folds@own position/cloth_on_sphere@own position/cloth_slides_off:110@own position/cloth_twist@own
    position/corners_and_sphere@own position/dragon_on_stairs:75@own position/fem_and_links position/garment@own position/grains_and_meshes:120@own
    position/joint_hierarchy:60@own position/limited_cloth position/mixed_projection@own position/particles_on_cloth@own position/rabbits_on_cloth@own
    position/shape_match:30@own position/showcase@own position/soft_cow:25 position/water_balloon
    rigid/arch_25@own rigid/bullet:1@own rigid/card_house_5@own rigid/convex_pile@own rigid/cradle_swing:250@own rigid/domino:300@own rigid/grains_3000@own
    rigid/heavy_on_light@own rigid/jenga@own rigid/mass_stack@own rigid/pyramid_100@own rigid/pyramid_20@own rigid/pyramid_3d@own rigid/sand_pile@own
    rigid/brick_wall:150@own rigid/gears@own rigid/junkyard@own rigid/keva@own rigid/many_pyramids@own rigid/mixer@own rigid/wall@own
    rigid/slope@own rigid/static_world@own rigid/turntable:300@own joints/joint_grid@own joints/ragdoll_pile@own joints/washer@own
    joints/wrecking_ball:80@own articulated/heap@own articulated/ragdoll@own articulated/robot_arm@own
)
mkdir -p out/pictures
for entry in "${scenes[@]}"; do
    field=strain
    if [[ $entry == *@* ]]; then field=${entry##*@}; fi
    entry=${entry%@*}
    scene=${entry%%:*}
    name=$(basename "$scene")
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* && " $* " != *" ${scene%%/*} "* ]]; then continue; fi
    begin=$SECONDS
    $sinew run "scenes/$scene.json" --out "out/pictures/$name" --overwrite --quiet
    frame=$(tail -1 "out/pictures/$name/report.csv" | cut -d, -f3)
    if [ "$entry" != "$scene" ]; then frame=${entry##*:}; fi
    color=(--color-by "$field")
    if [ "$field" = own ]; then color=(); fi
    $sinew render "out/pictures/$name/$name.sinew" --frames "$frame" "${color[@]}" --size $size --samples 16 \
        --out "out/pictures/$name.png" --overwrite --quiet
    if [ -n "$docs" ]; then cp "out/pictures/$name.png" $docs/; fi
    echo "out/pictures/$name.png  ($((SECONDS - begin)) s)"
done
