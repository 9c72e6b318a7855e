#pragma once

#include <QString>

namespace lowtide::ui {

/// Folders of the studio. Made when something is first written there.
struct AppFolders {
    QString resources;  ///< help pages, presets, the mini model
    QString settings;   ///< the file of settings
    QString presets;    ///< of the user
    QString nodes;      ///< the file of descriptions that the last start kept
    QString journals;   ///< of documents that are not saved
    QString backups;    ///< of files that were saved over
    QString wildcards;  ///< files of lines for prompts
    QString styles;     ///< the file of prompts' styles
    QString runs;       ///< what was run, and thumbnails of the results
    QString pasted;     ///< images that came through the clipboard
    QString models;     ///< notes, images and hashes of models
    QString images;     ///< where runs write, unless the settings state another folder
};

/// Those of the platform; LOWTIDE_STUDIO_DATA takes precedence over the user's folder.
[[nodiscard]] AppFolders standardFolders();

}  // namespace lowtide::ui
