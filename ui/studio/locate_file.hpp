#pragma once

#include "ui/studio/missing_files.hpp"

#include <QObject>

class QWidget;

namespace lowtide::ui {

/// Asks where a file is that the graph names, and has the graph name that place: every node of it,
/// in one step. Others that are missing and lie beside the chosen one are offered too.
class LocateFile : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it; `window` is the parent of dialogs.
    LocateFile(GraphModel& model, IsFound isFound, QWidget* window);

    /// What the parameter of that node names.
    void locate(const std::string& node, const std::string& param);
    /// What any node names.
    void locate(const std::string& file);

private:
    [[nodiscard]] QString choose(const std::string& file) const;
    [[nodiscard]] bool wants(const NewPlaces& others) const;

    GraphModel& model_;
    IsFound isFound_;
    QWidget* window_;
};

}  // namespace lowtide::ui
