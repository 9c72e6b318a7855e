#pragma once

#include "ui/document/edits.hpp"

#include <string>
#include <string_view>

namespace lowtide::ui {

/// Nodes, the wires between them, their frames, notes and whole groups as the text of a graph
/// document. With `incoming`, wires from nodes outside are kept too and found again by id when
/// pasted.
[[nodiscard]] std::string copyText(const graph::Document& document,
                                   const NodeIds& ids,
                                   bool incoming);
/// Adds what copyText() gave under fresh ids, its top left at `at`; returns the new nodes.
/// Error{Corrupt} or Error{Unsupported} as parseDocument throws them when the text is no graph.
NodeIds pasteText(graph::Document& document,
                  const graph::Catalog& catalog,
                  std::string_view text,
                  Point at);

}  // namespace lowtide::ui
