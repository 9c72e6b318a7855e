#pragma once

class QFileDialog;

namespace lowtide::ui {

/// Shows the picture that is pointed at beside the files, as it will be read, or why it cannot be.
/// The desktop's own dialogs, which show pictures themselves, stay as they are.
void addPicturePreview(QFileDialog& dialog);

}  // namespace lowtide::ui
