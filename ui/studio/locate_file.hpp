#pragma once

#include "ui/panels/hash_search_dialog.hpp"
#include "ui/studio/missing_files.hpp"

#include <QObject>
#include <QPointer>

class QWidget;

namespace lowtide::ui {

/// Where models of the person are what a file is that the graph names.
using KnownPlaces = std::function<std::vector<std::string>(const std::string& file)>;

/// What is known of the hash of a file, and where it may be.
using ByHash = std::function<WantedModel(const std::string& file)>;

/// Finds a file that the graph names among the person's models, by name or by hash, else asks where
/// it is, and has the graph name that place: every node of it, in one step. Others that are missing
/// and are known, or lie beside the chosen one, are offered too. Models are hashed only where the
/// person says so.
class LocateFile : public QObject {
    Q_OBJECT

public:
    /// What it is told with.
    struct Models {
        IsFound isFound;
        KnownPlaces known;
        ByHash byHash;
        ModelShelf& shelf;
    };

    /// All must outlive it; `window` is the parent of dialogs.
    LocateFile(GraphModel& model, Models models, QWidget* window);
    ~LocateFile() override;

    /// What the parameter of that node names.
    void locate(const std::string& node, const std::string& param);
    /// What any node names.
    void locate(const std::string& file);

private:
    enum class Answer { Use, Choose, Cancel };
    [[nodiscard]] NewPlaces knownPlaces(const std::string& file) const;
    [[nodiscard]] Answer offer(const NewPlaces& places, const std::string& file) const;
    void use(const NewPlaces& places, const QString& name);
    void search(WantedModel wanted);
    void chooseAndUse(const std::string& file);
    [[nodiscard]] QString choose(const std::string& file) const;
    [[nodiscard]] bool wants(const NewPlaces& others) const;

    GraphModel& model_;
    Models models_;
    QWidget* window_;
    QPointer<HashSearchDialog> search_;
};

}  // namespace lowtide::ui
