#pragma once

#include "ui/document/graph_model.hpp"
#include "ui/models/model_kind.hpp"
#include "ui/panels/hash_search_dialog.hpp"
#include "ui/panels/missing_files_dialog.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// Whether a file that a graph names would be found.
using IsFound = std::function<bool(const std::string& value)>;

/// The files that nodes of known types read, each once.
[[nodiscard]] std::vector<std::string> namedFiles(const GraphModel& model);
/// Those of them that are not found.
[[nodiscard]] std::vector<std::string> missingFiles(const GraphModel& model,
                                                    const IsFound& isFound);
/// Where models that the user has may be what a graph names: by file name in any folder, in any
/// case, by a hash that the name holds ("dream [0123456789]"), or by `hash`, the first digits that
/// are known of it. `hash` and `sha256` may be empty.
[[nodiscard]] bool isSameModel(const std::string& wanted,
                               const std::string& hash,
                               const std::string& name,
                               const std::string& sha256);
/// The digits of a hash that a file's name holds, in lower case; empty: none.
[[nodiscard]] std::string hashInName(const std::string& wanted);
/// The kinds of models that the parameters naming the file take; empty: it is no model.
[[nodiscard]] std::set<ModelKind> kindsOf(const GraphModel& model, const std::string& file);

/// What a missing file must be.
struct WantedKind {
    std::string value;
    std::string hash;           ///< the first digits; empty: not known
    std::set<ModelKind> kinds;  ///< empty: it is no model
    std::string family;         ///< as models are recognised; empty: not known
};

/// The models that could take its place, the best first: the same one by name or hash, one of the
/// kind and family, one of the kind of which no more is known, one of another family. `hashOf`:
/// SHA-256 of a model, or empty.
[[nodiscard]] std::vector<FittingFile> fittingFiles(
    const WantedKind& wanted,
    const std::vector<FoundModel>& models,
    const std::function<std::string(const FoundModel&)>& hashOf);
/// Those of `missing` that lie by name in the folder of `chosen`, without `except`.
[[nodiscard]] ChosenFiles inSameFolder(const std::vector<std::string>& missing,
                                       const std::string& except,
                                       const QString& chosen);
/// Every parameter that names one of the files gets its new path.
void relocate(graph::Document& document,
              const graph::Catalog& catalog,
              const ChosenFiles& newPaths);

/// Nodes, and a file that each names.
using FileUses = std::vector<std::pair<std::string, std::string>>;

/// Shows all files that the graph names and nobody finds, with those of the user's models that fit,
/// and has the graph name what is chosen: every node of it, in one step. Others that lie next to a
/// file that the user located are offered too. Models are hashed only where the user agrees.
class LocateFile : public QObject {
    Q_OBJECT

public:
    /// `widgets` must outlive it.
    explicit LocateFile(MainWindowWidgets& widgets);
    ~LocateFile() override;

    /// All, that of this node's parameter first.
    void locate(const std::string& node, const std::string& param);
    /// All; `file`, which nodes name, first. Empty: none is first.
    void locate(const std::string& file);

private:
    void open();
    void look();
    void show(const std::vector<std::string>& missing);
    [[nodiscard]] WantedFile wantedFile(const std::string& file) const;
    [[nodiscard]] QString descriptionOf(const WantedKind& wanted) const;
    [[nodiscard]] std::string familyFor(const std::string& file) const;
    [[nodiscard]] std::string knownHashOf(const std::string& file) const;
    [[nodiscard]] WantedModel wantedByHash(const std::string& file) const;
    void use(const ChosenFiles& newPaths, const QString& name);
    void search(WantedModel wanted);
    void chooseAndUse(const std::string& file);
    [[nodiscard]] QWidget* front() const;
    [[nodiscard]] QString choose(const std::string& file) const;
    [[nodiscard]] bool wants(const ChosenFiles& others) const;

    Workspace& workspace_;
    GraphModel& model_;
    QWidget* window_;
    std::string asked_;                 ///< that the user asked for, missing or damaged
    FileUses uses_;                     ///< when they were looked for last
    std::vector<std::string> missing_;  ///< likewise
    int look_ = 0;                      ///< the last of them
    QPointer<MissingFilesDialog> list_;
    QPointer<HashSearchDialog> search_;
};

}  // namespace lowtide::ui
