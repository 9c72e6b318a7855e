#pragma once

#include <string>
#include <string_view>

namespace lowtide::interop {

/// What ComfyUI's editor sends for the text of a prompt's widget: without comments (// and /* */),
/// and without braces, except behind a backslash. A text with alternatives, {a|b}, which the editor
/// draws at random, remains as it is: they are drawn here, too. Source: processDynamicPrompt of
/// comfyui-frontend-package 1.58.1.
[[nodiscard]] std::string textFromEditor(const std::string& text);

/// The text for which the editor sends `text`. It remains as it is with alternatives, and gets a
/// space at its end behind a single backslash, which the editor can send in no way.
[[nodiscard]] std::string textForEditor(const std::string& text);

}  // namespace lowtide::interop
