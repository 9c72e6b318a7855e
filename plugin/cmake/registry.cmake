# One line per extension. Each call compiles a folder and adds it to a generated list, so that a static library
# cannot drop it and nothing depends on the order of static initialisation.
#   lowtide_registry(family TARGET lowtide_families)   once per kind
#   lowtide_add(family NAME)                         one line per extension: compiles NAME/*.cpp
#   lowtide_finish_registry(family)                  writes family_list.inc: LOWTIDE_ENTRY(NAME) ...
# lowtide_registry(... MORE) begins another list, of a test program: the finished one and what it adds.
function(lowtide_registry kind)
  cmake_parse_arguments(ARG "MORE" "TARGET" "" ${ARGN})
  set(names "")
  if(ARG_MORE)
    get_property(names GLOBAL PROPERTY LOWTIDE_${kind}_FINISHED)
  endif()
  set_property(GLOBAL PROPERTY LOWTIDE_${kind}_TARGET ${ARG_TARGET})
  set_property(GLOBAL PROPERTY LOWTIDE_${kind}_LIST ${names})
endfunction()

function(lowtide_add kind name)
  get_property(target GLOBAL PROPERTY LOWTIDE_${kind}_TARGET)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    message(FATAL_ERROR "lowtide_add(${kind} ${name}): no .cpp in ${CMAKE_CURRENT_SOURCE_DIR}/${name}")
  endif()
  target_sources(${target} PRIVATE ${sources})
  set_property(GLOBAL APPEND PROPERTY LOWTIDE_${kind}_LIST ${name})
endfunction()

function(lowtide_finish_registry kind)
  get_property(target GLOBAL PROPERTY LOWTIDE_${kind}_TARGET)
  get_property(names GLOBAL PROPERTY LOWTIDE_${kind}_LIST)
  get_property(finished GLOBAL PROPERTY LOWTIDE_${kind}_FINISHED)
  if(NOT finished)
    set_property(GLOBAL PROPERTY LOWTIDE_${kind}_FINISHED ${names})
  endif()
  list(TRANSFORM names PREPEND "LOWTIDE_ENTRY(")
  list(TRANSFORM names APPEND ")\n")
  string(JOIN "" text ${names})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${kind}_list.inc CONTENT "${text}" @ONLY)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
