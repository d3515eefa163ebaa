#!/bin/bash
# Runs every elastic scene and draws its last frame (or the one named here) coloured by strain to out/pictures/<name>.png (docs/gallery.md).
#   tools/pictures.sh [name ...]     only these; --quick first: a quarter of the pixels
set -euo pipefail
cd "$(dirname "$0")/.."
sinew=build/release/sinew
size=640x400
if [ "${1:-}" = --quick ]; then
    size=320x200
    shift
fi
if [ ! -x $sinew ]; then
    echo "pictures: $sinew is missing; 'make' builds it" >&2
    exit 1
fi
scenes=(
    demo/cantilevers demo/cloth_over_sphere demo/draped_sheet demo/flag demo/hanging_beam demo/hanging_sheet
    demo/inflated_balloon demo/plastic_bar demo/plectoneme demo/rod_twist demo/sheared_sheet:33 demo/squeezed_block:36 demo/twisting_beam
    verify/c_t5_free_twist verify/p_lame_ball verify/p_v14_cantilever verify/p_v33_plastic_bar
    verify/t_rod_cantilever verify/t_t07_directional_modulus verify/t_t14_rest_scale verify/t_t93_bent_hinge
)
mkdir -p out/pictures
for entry in "${scenes[@]}"; do
    scene=${entry%%:*}
    name=$(basename "$scene")
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    begin=$SECONDS
    $sinew run "scenes/$scene.json" --out "out/pictures/$name" --overwrite --quiet
    frame=$(tail -1 "out/pictures/$name/report.csv" | cut -d, -f3)
    if [ "$entry" != "$scene" ]; then frame=${entry##*:}; fi
    $sinew render "out/pictures/$name/$name.sinew" --frames "$frame" --color-by strain --size $size --samples 16 \
        --out "out/pictures/$name.png" --quiet
    echo "out/pictures/$name.png  ($((SECONDS - begin)) s)"
done
