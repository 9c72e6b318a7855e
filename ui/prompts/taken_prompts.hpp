#pragma once

#include "ui/prompts/resolved_graph.hpp"

namespace lowtide::ui {

/// Puts the prompts of one graph into another, each in the place of an active node that has its
/// node type and parameter, else its parameter; the first in the order of ids that has none yet.
/// What is empty or not stated in `from` stays as it is in `into`. Returns how many found no
/// place; none where `into` has no prompts at all, as where a picture is enlarged.
size_t takePrompts(graph::Document& into,
                   const graph::Document& from,
                   const graph::Catalog& catalog);

}  // namespace lowtide::ui
