#pragma once

#include "plugin/base/issue.hpp"
#include "ui/bridge/engine.hpp"
#include "ui/bridge/model_library.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/missing_files.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <map>

namespace lowtide::ui {

/// Imports by the module (docs/calls.md, importGraph). It looks for images next to the file and in
/// ComfyUI's folder `input` in or next to those of the user's models, and for models among those
/// that were found; while they are looked for, every model counts as found. Empty: the module
/// cannot import. The module must outlive it, not the engine.
[[nodiscard]] Importer importerOf(const Engine& engine,
                                  const ModelLibrary& models,
                                  const QStringList& modelFolders);

/// What the report of an import states that a check of the graph does not: what is near and why,
/// families that do not run, what is left out, what is exact. In the language of the program.
[[nodiscard]] Issues importIssues(const Json& report, const graph::Document& document);

/// "Imported “fox”: 7 exact, 1 near, 2 missing."
[[nodiscard]] QString importSentence(const Json& report,
                                     const QString& name,
                                     const graph::Document& document);

/// Reports each import: in a notice, which leads to missing files, and among the issues as long as
/// it is open.
class ImportReports : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it.
    ImportReports(MainWindowWidgets& widgets, LocateFile& locate, QObject* parent);

private:
    void showIssues();
    void reportImport();

    MainWindowWidgets& widgets_;
    DocumentFile& file_;
    LocateFile& locate_;
    std::map<DocumentId, Issues> issues_;  ///< as of the graph that the import made
};

}  // namespace lowtide::ui
