#pragma once

#include <QScrollArea>

#include <memory>

#include "examples/qtnodes_host/adapter/rows.hpp"

class QFormLayout;
class QLabel;

namespace lowtide::qtnodes_host {

/// The rows of one node, each with an editor that suits it. A refused value remains in its editor,
/// with the reason below; the node keeps the old one.
class RowEditors final : public QScrollArea {
    Q_OBJECT

public:
    explicit RowEditors(QWidget* parent = nullptr);

    /// nullptr: no node is chosen. The node lives on while it is edited.
    void edit(std::shared_ptr<NodeState> node);

Q_SIGNALS:
    void edited();

private:
    QWidget* makeEditor(const Row& row, QLabel* refusal);
    QWidget* makeChoice(const Row& row, QLabel* refusal);
    void addRow(QFormLayout& form, const Row& row);
    void take(const Row& row, const QString& text, QLabel* refusal);

    std::shared_ptr<NodeState> node_;
};

}  // namespace lowtide::qtnodes_host
