#pragma once

#include "ui/document/graph_model.hpp"
#include "ui/editors/picker.hpp"

#include <QDialog>

#include <string>
#include <vector>

namespace lowtide::ui {

/// A node whose title, type or values hold the words.
struct FoundNode {
    std::string node;
    std::string item;  ///< the parameter that holds them; empty: the node itself
    QString text;
};

[[nodiscard]] std::vector<FoundNode> findNodes(const GraphModel& model, const QString& words);

/// Finds nodes of the graph while one types; choosing one goes there.
class FindNode : public QDialog {
    Q_OBJECT

public:
    explicit FindNode(const GraphModel& model, QWidget* parent = nullptr);

Q_SIGNALS:
    void chosen(const std::string& node, const std::string& item);

private:
    void choose(int row);

    std::vector<FoundNode> found_;
};

}  // namespace lowtide::ui
