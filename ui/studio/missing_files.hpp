#pragma once

#include "ui/document/graph_model.hpp"
#include "ui/models/model_kind.hpp"
#include "ui/panels/hash_search_dialog.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace lowtide::ui {

/// What the parameters name, by what is to stand there: "models/lost.safetensors" -> a path.
using NewPaths = std::map<std::string, QString>;

/// Whether a file that a graph names would be found.
using IsFound = std::function<bool(const std::string& value)>;

/// The files that nodes of known types read and that are not found, each once.
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
/// Those of `missing` that lie by name in the folder of `chosen`, without `except`.
[[nodiscard]] NewPaths inSameFolder(const std::vector<std::string>& missing,
                                    const std::string& except,
                                    const QString& chosen);
/// Every parameter that names one of the files gets its new path.
void relocate(graph::Document& document, const graph::Catalog& catalog, const NewPaths& newPaths);

/// Finds a file that the graph names among the user's models, by name or by hash, else asks where
/// it is, and has the graph name that path: every node of it, in one step. Others that are missing
/// and are known, or lie next to the chosen one, are offered too. Models are hashed only where the
/// user agrees.
class LocateFile : public QObject {
    Q_OBJECT

public:
    /// `widgets` must outlive it.
    explicit LocateFile(MainWindowWidgets& widgets);
    ~LocateFile() override;

    /// What the parameter of that node names.
    void locate(const std::string& node, const std::string& param);
    /// What any node names.
    void locate(const std::string& file);

private:
    enum class Answer { Use, Choose, Cancel };
    [[nodiscard]] std::vector<std::string> missing() const;
    [[nodiscard]] std::vector<std::string> foldersOf(const std::string& file) const;
    [[nodiscard]] std::string knownHashOf(const std::string& file) const;
    [[nodiscard]] WantedModel wantedByHash(const std::string& file) const;
    [[nodiscard]] NewPaths knownPaths(const std::string& file) const;
    [[nodiscard]] Answer offer(const NewPaths& newPaths, const std::string& file) const;
    void use(const NewPaths& newPaths, const QString& name);
    void search(WantedModel wanted);
    void chooseAndUse(const std::string& file);
    [[nodiscard]] QString choose(const std::string& file) const;
    [[nodiscard]] bool wants(const NewPaths& others) const;

    Workspace& workspace_;
    GraphModel& model_;
    QWidget* window_;
    QPointer<HashSearchDialog> search_;
};

}  // namespace lowtide::ui
