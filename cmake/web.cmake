# The viewer's page: target `web` builds it to <build>/web, beside the program. Part of `all` in release builds where npm is found;
# tools/build_web.sh never fails a build.
find_program(SINEW_NPM npm)
if(SINEW_NPM)
    set(page colors.ts connection.ts grab.ts keys.ts main.ts numbers.ts plots.ts protocol.ts shapes.ts stage.ts style.css)
    list(TRANSFORM page PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/web/src/)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/web/index.html
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/build_web.sh ${CMAKE_BINARY_DIR}/web
        DEPENDS ${page} web/index.html web/package.json web/package-lock.json web/tsconfig.json web/vite.config.js tools/build_web.sh
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "the viewer's page" USES_TERMINAL VERBATIM)
    set(all "")
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        set(all ALL)
    endif()
    add_custom_target(web ${all} DEPENDS ${CMAKE_BINARY_DIR}/web/index.html)
else()
    message(STATUS "npm not found: the viewer's page is not built")
endif()
include(GNUInstallDirs)
install(DIRECTORY ${CMAKE_BINARY_DIR}/web/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/web OPTIONAL)
