#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/panels/picture_facts.hpp"

#include <vector>

namespace lowtide::ui {

/// What a graph sets otherwise than its nodes do by themselves, in their words: prompts first, then
/// seeds, then node by node. "Steps", or "Steps, Denoise" where several nodes have such a value.
[[nodiscard]] std::vector<PictureFact> settingFacts(const graph::Document& document,
                                                    const graph::Catalog& catalog);
/// The same of the graph that a picture carries; nothing without one, or without a catalogue.
[[nodiscard]] std::vector<PictureFact> settingFactsOf(const LoadedPicture& picture,
                                                      const graph::Catalog* catalog);

}  // namespace lowtide::ui
