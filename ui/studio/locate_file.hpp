#pragma once

#include "ui/studio/missing_files.hpp"

#include <QObject>

class QWidget;

namespace lowtide::ui {

/// Where models of the person are what a file is that the graph names.
using KnownPlaces = std::function<std::vector<std::string>(const std::string& file)>;

/// Finds a file that the graph names among the person's models, else asks where it is, and has the
/// graph name that place: every node of it, in one step. Others that are missing and are known, or
/// lie beside the chosen one, are offered too.
class LocateFile : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it; `window` is the parent of dialogs.
    LocateFile(GraphModel& model, IsFound isFound, KnownPlaces known, QWidget* window);

    /// What the parameter of that node names.
    void locate(const std::string& node, const std::string& param);
    /// What any node names.
    void locate(const std::string& file);

private:
    enum class Answer { Use, Choose, Cancel };
    [[nodiscard]] NewPlaces knownPlaces(const std::string& file) const;
    [[nodiscard]] Answer offer(const NewPlaces& places, const std::string& file) const;
    void use(const NewPlaces& places, const QString& name);
    [[nodiscard]] QString choose(const std::string& file) const;
    [[nodiscard]] bool wants(const NewPlaces& others) const;

    GraphModel& model_;
    IsFound isFound_;
    KnownPlaces known_;
    QWidget* window_;
};

}  // namespace lowtide::ui
