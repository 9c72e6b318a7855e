# lowtide_precompiled(TARGET KIND): the target sees one of the shared precompiled headers, and links what its headers belong
# to. They hold headers of others alone.
#   light: JSON and the standard library; torch: ATen, too; widgets: Qt Widgets and JSON;
#   test, torch_test, widgets_test: the same with Qt Test, for test code.
set(lowtide_std_headers <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring>
    <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <sstream> <string>
    <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
set(lowtide_headers_torch <ATen/ATen.h>)
set(lowtide_headers_widgets <QtWidgets>)
set(lowtide_headers_test <QtTest/QtTest>)
set(lowtide_headers_torch_test <ATen/ATen.h> <QtTest/QtTest>)
set(lowtide_headers_widgets_test <QtWidgets> <QtTest/QtTest>)
set(lowtide_links_torch lowtide::aten)
set(lowtide_links_widgets Qt6::Widgets)
set(lowtide_links_test Qt6::Test)
set(lowtide_links_torch_test lowtide::aten Qt6::Test)
set(lowtide_links_widgets_test Qt6::Widgets Qt6::Test)

function(lowtide_precompiled target kind)
  target_link_libraries(${target} PUBLIC nlohmann_json::nlohmann_json ${lowtide_links_${kind}})
  # File by file the light headers are left out, so that a missing #include shows.
  if(NOT LOWTIDE_BATCHES AND kind MATCHES "^(light|test)$")
    return()
  endif()
  set(owner lowtide_pch_${kind})
  if(NOT TARGET ${owner})
    lowtide_make_precompiled(${owner} ${kind})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  add_dependencies(${target} ${owner}_sum)
endfunction()

function(lowtide_make_precompiled owner kind)
  set(source ${CMAKE_BINARY_DIR}/pch/${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${owner} STATIC ${source})
  target_link_libraries(${owner} PUBLIC lowtide_warnings nlohmann_json::nlohmann_json ${lowtide_links_${kind}})
  if(kind MATCHES "test$")
    lowtide_test_options(${owner})
  endif()
  target_include_directories(${owner} PUBLIC ${PROJECT_SOURCE_DIR})
  target_precompile_headers(${owner} PRIVATE ${lowtide_headers_${kind}} <nlohmann/json.hpp> ${lowtide_std_headers})
  # The compiler cache knows a precompiled header by this sum of the headers in it (CCACHE_PCH_EXTSUM): its own bytes
  # differ each time it is compiled, and they are hundreds of megabytes.
  get_target_property(folder ${owner} BINARY_DIR)
  set(header ${folder}/CMakeFiles/${owner}.dir/cmake_pch.hxx)
  set(compiled ${header}.gch)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(compiled ${header}.pch)
  endif()
  set(includes $<TARGET_PROPERTY:${owner},INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${owner},COMPILE_DEFINITIONS>)
  add_custom_command(
    OUTPUT ${compiled}.sum
    COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DSUM=${compiled}.sum -DCOMPILER=${CMAKE_CXX_COMPILER} "-DINCLUDES=${includes}"
            "-DDEFINITIONS=${definitions}" -P ${PROJECT_SOURCE_DIR}/plugin/cmake/sum_headers.cmake
    DEPENDS ${compiled}
    COMMENT "Summing the headers of ${owner}"
    VERBATIM)
  add_custom_target(${owner}_sum DEPENDS ${compiled}.sum)
  add_dependencies(${owner}_sum ${owner})
endfunction()
