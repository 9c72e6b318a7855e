#pragma once

#include "plugin/base/issue.hpp"
#include "ui/document/edits.hpp"

#include <string>

namespace lowtide::ui {

/// The code of the issue of a LoRA that changes no denoiser.
inline constexpr const char* kLoraWithoutDenoiser = "lora_without_denoiser";

/// Whether the node could read LoRAs of its prompt ("<lora:name:0.8>") and does not.
[[nodiscard]] bool canReadPromptLoras(const graph::Document& document,
                                      const graph::Catalog& catalog,
                                      const std::string& id);
/// Has the node read them, and the denoisers that it feeds take the model with them from it, where
/// they have the same model as it has.
void readPromptLoras(graph::Document& document,
                     const graph::Catalog& catalog,
                     const std::string& id);
/// A new graph: all nodes that can read them do.
void readAllPromptLoras(graph::Document& document, const graph::Catalog& catalog);

/// A warning for each node that changes a model by files and whose model no denoiser gets.
[[nodiscard]] Issues lorasWithoutDenoiser(const graph::Document& document,
                                          const graph::Catalog& catalog);
/// Has everything that reads the model which such a node changes read the changed one.
void useLoraEverywhere(graph::Document& document,
                       const graph::Catalog& catalog,
                       const std::string& id);

}  // namespace lowtide::ui
