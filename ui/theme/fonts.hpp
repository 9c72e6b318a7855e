#pragma once

namespace lowtide::ui {

/// Makes the bundled fonts known to the program, once. Error{Corrupt} names a font that could not
/// be read.
void loadBundledFonts();

}  // namespace lowtide::ui
