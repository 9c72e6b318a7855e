#pragma once
// Graphs from what other programs write: workflows of ComfyUI, and settings that images carry.

#include "plugin/files/input_file.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/interop/settings_graph.hpp"
#include "plugin/interop/translate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::interop {

/// Whether a text is meant for an import: a workflow of ComfyUI in either form, also as what its
/// canvas puts into the clipboard as HTML, or settings of another program. One that is damaged
/// counts, so that importText states what is wrong with it.
[[nodiscard]] bool isForeign(std::string_view text);

/// Of the texts that an image or a video carries, the one to import: ComfyUI's workflow, else its
/// prompt, else settings of another program. Empty: there is none, or a graph of this program.
[[nodiscard]] std::string carriedForeignText(const std::vector<image::ImageText>& texts);

/// The text to open of a file: what it carries for an import, else as graph::readGraphText, with
/// its errors.
[[nodiscard]] std::string readAnyGraphText(const files::InputFile& file);

/// The graph of such a text, of which at most 32 MiB are read. Error{InvalidInput} when it is
/// nothing that is read; Error{Corrupt} as readPrompt and parseJson.
[[nodiscard]] Imported importText(std::string_view text,
                                  const SamplerNames& names,
                                  const ImportNeeds& needs);

}  // namespace lowtide::interop
