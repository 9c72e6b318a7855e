#pragma once

#include "ui/document/image_values.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QString>

#include <string>

namespace lowtide::ui {

/// An image, and the text of the graph that made it.
struct MadeImage {
    std::string graph;
    QString file;
    QString name;  ///< of the image or of its run, for the user
};

/// Gives the open graph values of the image as one step, and states in a notice what it has now and
/// what was not taken.
void useImageValues(MainWindowWidgets& widgets, const MadeImage& image, ImageUse use);

}  // namespace lowtide::ui
