#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <string>

namespace lowtide::ui {

inline constexpr const char* kModelType = "MODEL";

/// The first port of a wire type; nullptr: there is none.
[[nodiscard]] const PortDesc* portOfType(const std::vector<PortDesc>& ports,
                                         const std::string& type);
/// Whether it runs a denoiser.
[[nodiscard]] bool hasDenoiser(const NodeDesc& node);
/// The node from which a node's model comes, through those that change it; empty: none is wired.
[[nodiscard]] std::string modelSource(const graph::Document& document,
                                      const graph::Catalog& catalog,
                                      const std::string& node);

}  // namespace lowtide::ui
