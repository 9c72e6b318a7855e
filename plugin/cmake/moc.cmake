# lowtide_moc_headers(TARGET): the meta objects of the headers next to the target's sources, as one source of it.
# lowtide_moc_tests(TARGET FILES...): x_test.moc for each x_test.cpp, to be included by it.
# Not AUTOMOC: moc then reads every header that a file includes, LibTorch's too, up to 21 s a file. Here it reads the file
# alone; nothing in this project lets a macro of a header decide what a class declares.
function(lowtide_moc_command target result)
  set(folder ${CMAKE_BINARY_DIR}/moc/${target})
  add_custom_command(
    OUTPUT ${result}
    COMMAND ${CMAKE_COMMAND} -DMOC=$<TARGET_FILE:Qt6::moc> -DOUT=${folder} -DROOT=${PROJECT_SOURCE_DIR}
            "-DFILES=${ARGN}" -DTARGET=${target} -P ${PROJECT_SOURCE_DIR}/plugin/cmake/run_moc.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/plugin/cmake/run_moc.cmake
    COMMENT "moc of ${target}"
    VERBATIM)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

function(lowtide_moc_headers target)
  get_target_property(folder ${target} SOURCE_DIR)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp)
  set(made ${CMAKE_BINARY_DIR}/moc/${target}/moc_${target}.cpp)
  lowtide_moc_command(${target} ${made} ${headers})
  target_sources(${target} PRIVATE ${made})
endfunction()

function(lowtide_moc_tests target)
  set(made "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM name)
    list(APPEND made ${CMAKE_BINARY_DIR}/moc/${target}/${name}.moc)
    if(LOWTIDE_DATABASE_ONLY)
      file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/moc/${target}/${name}.moc CONTENT "")
    endif()
  endforeach()
  lowtide_moc_command(${target} "${made}" ${ARGN})
  set_source_files_properties(${made} PROPERTIES HEADER_FILE_ONLY ON)
  target_sources(${target} PRIVATE ${made})
endfunction()
