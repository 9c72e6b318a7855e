# cmake --install: the command, the modules, what lies next to them, the headers of hosts and a CMake package. The folders
# are fixed, because the command finds ../lib and the module finds lowtide/resources next to itself.
include(CMakePackageConfigHelpers)
set(LOWTIDE_INSTALL_TORCH ${LOWTIDE_TORCH_LIB} CACHE STRING
    "Folder of LibTorch's libraries that an installed module uses when lib/lowtide/torch/lib holds none; may be empty")
set(modules lowtide_plugin lowtide_fake)
if(TARGET lowtide_cuda)
  list(APPEND modules lowtide_cuda)
endif()
set_target_properties(${modules} PROPERTIES INSTALL_RPATH "$ORIGIN/lowtide/torch/lib;${LOWTIDE_INSTALL_TORCH}")
if(TARGET lowtide_qt)
  list(APPEND modules lowtide_qt)
endif()
install(TARGETS lowtide RUNTIME DESTINATION bin)
install(TARGETS ${modules} LIBRARY DESTINATION lib)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/cards ${PROJECT_SOURCE_DIR}/resources/cuda ${PROJECT_SOURCE_DIR}/resources/help ${PROJECT_SOURCE_DIR}/resources/interop ${PROJECT_SOURCE_DIR}/resources/mini
        ${PROJECT_SOURCE_DIR}/resources/presets ${PROJECT_SOURCE_DIR}/resources/tokenizers
        DESTINATION lib/lowtide/resources PATTERN train EXCLUDE PATTERN make_tokenizers.py EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/resources/foreign_nodes.json DESTINATION lib/lowtide/resources)
install(FILES ${PROJECT_SOURCE_DIR}/resources/fonts/OFL.txt DESTINATION lib/lowtide/resources/fonts)
install(FILES ${PROJECT_SOURCE_DIR}/resources/html/LICENSE DESTINATION lib/lowtide/resources/html)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION share/doc/lowtide)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/plugin/host_api DESTINATION include/lowtide/plugin FILES_MATCHING PATTERN *.hpp PATTERN *.h)
set_target_properties(lowtide_host_api PROPERTIES EXPORT_NAME host_api)
if(TARGET lowtide_widgets)
  set_target_properties(lowtide_widgets PROPERTIES EXPORT_NAME widgets)
  install(TARGETS lowtide_widgets EXPORT LowtideWidgetsTargets LIBRARY DESTINATION lib)
  install(FILES ${PROJECT_SOURCE_DIR}/ui/widgets/graph_editor.hpp DESTINATION include/lowtide/ui/widgets)
  install(EXPORT LowtideWidgetsTargets NAMESPACE Lowtide:: DESTINATION lib/cmake/Lowtide)
endif()
install(TARGETS lowtide_host_api EXPORT LowtideTargets INCLUDES DESTINATION include/lowtide)
install(EXPORT LowtideTargets NAMESPACE Lowtide:: DESTINATION lib/cmake/Lowtide)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/LowtideConfig.cmake.in ${CMAKE_BINARY_DIR}/LowtideConfig.cmake
  INSTALL_DESTINATION lib/cmake/Lowtide)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/LowtideConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/LowtideConfig.cmake ${CMAKE_BINARY_DIR}/LowtideConfigVersion.cmake
        DESTINATION lib/cmake/Lowtide)
