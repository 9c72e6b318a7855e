# lowtide_test_program(NAME [TORCH|WIDGETS|GUI] LIBRARY library SOURCES helpers.cpp ... DEPENDS libraries NEEDS targets
#                      DEFINE names)
#   One program test_NAME for the tests of a library, which has its name unless LIBRARY names another. NEEDS names what
#   its tests open or start.
# lowtide_test(NAME [SCREEN] PROGRAM p SOURCE x_test.cpp ... LABELS l TIMEOUT s ENVIRONMENT v=... ARGUMENTS a)
#   One Qt Test class of that program, a test of its own for ctest; or several that are quick compared with the start of their
#   program (LibTorch takes up to a second), one after the other. Without labels it is "fast". SCREEN: in a real window, on
#   an X server of its own, in place of the offscreen platform. TIMEOUT is of a machine that does nothing else: a test is
#   ended after four times as long.
include_guard()

# Test code is not what is measured: it is compiled for quick builds.
function(lowtide_test_options target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0;-g0>)
endfunction()

# lowtide_test_computes(x.cpp ...): but for files whose loops go over millions of numbers.
function(lowtide_test_computes)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2> SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# What test programs and libraries of test code have in common.
function(lowtide_test_code target kind)
  lowtide_test_options(${target})
  target_link_libraries(${target} PRIVATE lowtide_warnings)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  if(kind STREQUAL TORCH)
    lowtide_precompiled(${target} torch_test)
  elseif(kind STREQUAL WIDGETS)
    lowtide_precompiled(${target} widgets_test)
  elseif(kind STREQUAL GUI)
    target_link_libraries(${target} PUBLIC Qt6::Gui Qt6::Test)
  else()
    lowtide_precompiled(${target} test)
  endif()
  lowtide_batches(${target} 8)
endfunction()

function(lowtide_kind result)
  set(${result} "" PARENT_SCOPE)
  foreach(kind TORCH WIDGETS GUI)
    if(ARG_${kind})
      set(${result} ${kind} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# lowtide_test_library(NAME [TORCH|WIDGETS|GUI] SOURCES x.cpp ... DEPENDS libraries): what tests share; lowtide::NAME.
function(lowtide_test_library name)
  cmake_parse_arguments(ARG "TORCH;WIDGETS;GUI" "" "SOURCES;DEPENDS" ${ARGN})
  lowtide_kind(kind)
  add_library(lowtide_${name} STATIC ${ARG_SOURCES})
  add_library(lowtide::${name} ALIAS lowtide_${name})
  list(TRANSFORM ARG_DEPENDS PREPEND lowtide::)
  target_link_libraries(lowtide_${name} PUBLIC ${ARG_DEPENDS})
  lowtide_test_code(lowtide_${name} "${kind}")
endfunction()

function(lowtide_test_program name)
  cmake_parse_arguments(ARG "TORCH;WIDGETS;GUI" "LIBRARY" "SOURCES;DEPENDS;NEEDS;DEFINE" ${ARGN})
  if(NOT ARG_LIBRARY)
    set(ARG_LIBRARY ${name})
  endif()
  lowtide_kind(kind)
  set(target test_${name})
  add_executable(${target} ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES LOWTIDE_LIBRARY ${ARG_LIBRARY})
  list(TRANSFORM ARG_DEPENDS PREPEND lowtide::)
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} lowtide::test_main)
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINE})
  if(kind STREQUAL WIDGETS)
    target_link_libraries(${target} PRIVATE lowtide::widget_checks)
  endif()
  lowtide_test_code(${target} "${kind}")
  if(ARG_NEEDS)
    add_dependencies(${target} ${ARG_NEEDS})
  endif()
  if(NOT TARGET lowtide_tests)
    add_custom_target(lowtide_tests)
  endif()
  add_dependencies(lowtide_tests ${target})
  cmake_language(EVAL CODE "cmake_language(DEFER CALL lowtide_finish_test_program ${target})")
endfunction()

# When all tests of the program's folder are known: their meta objects, and for ./dev check the labels of:LIBRARY (its own
# tests) and sees:LIBRARY (libraries that it links, however far down).
function(lowtide_finish_test_program target)
  get_target_property(files ${target} LOWTIDE_TESTS)
  lowtide_moc_tests(${target} ${files})
  get_target_property(own ${target} LOWTIDE_LIBRARY)
  get_target_property(tests ${target} LOWTIDE_TEST_NAMES)
  set(linked "")
  lowtide_add_linked(linked ${target})
  if(TARGET lowtide_fixed_seed AND lowtide_aten IN_LIST linked)
    target_link_libraries(${target} PRIVATE lowtide_fixed_seed)
  endif()
  get_property(libraries GLOBAL PROPERTY LOWTIDE_LIBRARIES)
  foreach(library IN LISTS libraries)
    if(library IN_LIST linked)
      lowtide_link_first(${target} ${library})
      string(REPLACE lowtide_ "" name ${library})
      if(NOT TARGET check_${name})
        add_custom_target(check_${name})
      endif()
      add_dependencies(check_${name} ${target})
      set_property(TEST ${tests} APPEND PROPERTY LABELS sees:${name})
      if(name STREQUAL own)
        set_property(TEST ${tests} APPEND PROPERTY LABELS of:${name})
      endif()
    endif()
  endforeach()
endfunction()

# Inline functions are in every object that calls them, and the linker takes the first: that of the library, which is
# optimised. The list of families is left to the archive, as a program may have its own.
function(lowtide_link_first target library)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    target_link_options(${target} PRIVATE
                        $<$<CONFIG:Release>:$<FILTER:$<TARGET_OBJECTS:${library}>,EXCLUDE,/families.cpp>>)
  endif()
endfunction()

# Adds the libraries of ours that the target links, itself or through others, to the list `result`.
function(lowtide_add_linked result target)
  set(found ${${result}})
  foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(links ${target} ${property})
    foreach(link IN LISTS links)
      string(REGEX REPLACE "^lowtide::" "lowtide_" link "${link}")
      if(link MATCHES "^lowtide_" AND TARGET ${link} AND NOT link IN_LIST found)
        list(APPEND found ${link})
        lowtide_add_linked(found ${link})
      endif()
    endforeach()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# A test class of the program that ctest does not run by itself.
function(lowtide_test_source program file)
  cmake_path(ABSOLUTE_PATH file NORMALIZE OUTPUT_VARIABLE source)
  get_target_property(sources test_${program} LOWTIDE_TESTS)
  if(NOT source IN_LIST sources)
    target_sources(test_${program} PRIVATE ${source})
    set_property(TARGET test_${program} APPEND PROPERTY LOWTIDE_TESTS ${source})
  endif()
endfunction()

function(lowtide_test name)
  cmake_parse_arguments(ARG "SCREEN" "PROGRAM;TIMEOUT" "SOURCE;LABELS;ENVIRONMENT;ARGUMENTS" ${ARGN})
  set(target test_${ARG_PROGRAM})
  set(classes "")
  foreach(source IN LISTS ARG_SOURCE)
    lowtide_test_source(${ARG_PROGRAM} ${source})
    cmake_path(GET source STEM class)
    list(APPEND classes ${class})
  endforeach()
  list(JOIN classes "," classes)
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  math(EXPR patience "4 * ${ARG_TIMEOUT}")
  # Of several classes one that hangs ends before the test does, so that the others run and its name is printed.
  set(slot_patience ${patience})
  list(LENGTH ARG_SOURCE class_count)
  if(class_count GREATER 1)
    math(EXPR slot_patience "${patience} / 3")
  endif()
  # Small networks, and a test on each core: threads would wait for each other, for most of the time. Those that a test
  # asks for sleep while they wait.
  if(NOT "bench" IN_LIST ARG_LABELS)
    list(PREPEND ARG_ENVIRONMENT OMP_NUM_THREADS=1 GOMP_SPINCOUNT=0)
  else()
    list(PREPEND ARG_ENVIRONMENT GOMP_SPINCOUNT=10000)  # as the command runs
  endif()
  set(screen "")
  if(ARG_SCREEN)
    set(screen ${LOWTIDE_PYTHON} ${PROJECT_SOURCE_DIR}/tests/fixtures/with_screen.py)
  endif()
  add_test(NAME ${name} COMMAND ${screen} $<TARGET_FILE:${target}> ${classes} -maxwarnings 0 ${ARG_ARGUMENTS})
  set_property(TARGET ${target} APPEND PROPERTY LOWTIDE_TEST_NAMES ${name})
  # Long ones begin first, so that all cores are busy to the end.
  set_tests_properties(
    ${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${patience} COST ${ARG_TIMEOUT}
                       ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LOWTIDE_PYTHON=${LOWTIDE_PYTHON};QTEST_FUNCTION_TIMEOUT=${slot_patience}000;${ARG_ENVIRONMENT}")
endfunction()

# lowtide_labels_of_texts(RESULT LABEL LANGUAGE SCALE): of a test whether texts fit. By default each language and each scale
# once, which do not depend on each other but for a rounded pixel; the other pairs are "all".
function(lowtide_labels_of_texts result label language scale)
  set(${result} ${label} all PARENT_SCOPE)
  if("${language} ${scale}" MATCHES "^(zh_CN 1\\.5|pseudo 2)$")
    set(${result} ${label} PARENT_SCOPE)
  endif()
endfunction()
