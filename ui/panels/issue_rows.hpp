#pragma once

#include "plugin/base/issue.hpp"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

namespace lowtide::ui {

class GraphModel;

/// Issues as a list: errors first, then warnings, then notes. Nodes, ports and parameters are
/// called as in `model`, which must outlive it.
class IssueRows : public QAbstractListModel {
    Q_OBJECT

public:
    explicit IssueRows(const GraphModel& model, QObject* parent = nullptr);

    void setIssues(Issues issues);

    [[nodiscard]] const Issues& issues() const { return issues_; }

    /// "Denoise, Steps": where it is.
    [[nodiscard]] QString placeOf(const Issue& issue) const;

    /// nullptr: no such row.
    [[nodiscard]] const Issue* issueAt(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString itemIn(const Issue& issue) const;

    const GraphModel& model_;
    Issues issues_;
};

/// Paints an issue: its severity, where it is, the sentence.
class IssueDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
    /// Whether a row of that width cuts the sentence off.
    [[nodiscard]] static bool isElided(const Issue& issue, int width);
};

/// Text for a report: one paragraph for each issue.
[[nodiscard]] QString reportText(const Issues& issues);

}  // namespace lowtide::ui
