#pragma once

#include <QString>

namespace lowtide::ui {

/// Folders of the studio. Made when something is first written there.
struct Places {
    QString resources;  ///< help pages, presets, the mini model
    QString settings;   ///< the file of settings
    QString presets;    ///< of the person
    QString nodes;      ///< the file of descriptions that the last start kept
    QString journals;   ///< of documents that are not saved
    QString backups;    ///< of files that were saved over
    QString wildcards;  ///< files of lines for prompts
    QString styles;     ///< the file of prompts' styles
    QString runs;       ///< what was run, and small pictures of what came of it
    QString pasted;     ///< pictures that came through the clipboard
    QString models;     ///< notes, pictures and hashes of models
    QString pictures;   ///< where runs write, unless the settings say otherwise
};

/// Those of the platform; LOWTIDE_STUDIO_DATA stands before the folder of the person.
[[nodiscard]] Places standardPlaces();

}  // namespace lowtide::ui
