#include "ui/panels/issue_rows.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/node_title.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kIssueMargin = Theme::space(2);
constexpr int kIssueIcon = Theme::space(4);
constexpr int kIssueLine = Theme::space(5);

const char* lookOf(Severity severity) {
    return severity == Severity::Error     ? "error"
           : severity == Severity::Warning ? "warning"
                                           : "info";
}

bool isEqual(const Issue& left, const Issue& right) {
    return isSame(left, right) && left.severity == right.severity && left.hint == right.hint;
}

/// As the command names it: by ids.
QString idsOf(const Issue& issue) {
    if (issue.node.empty() && issue.item.empty()) {
        return IssueRows::tr("the graph");
    }
    return QString::fromStdString(issue.node.empty()   ? issue.item
                                  : issue.item.empty() ? issue.node
                                                       : issue.node + "." + issue.item);
}

}  // namespace

QString reportText(const Issues& issues) {
    QString text;
    for (const Issue& issue : issues) {
        text += QString("%1 %2 [%3]\n%4\n")
                    .arg(lookOf(issue.severity),
                         idsOf(issue),
                         QString::fromStdString(issue.code),
                         QString::fromStdString(issue.message.str()));
        text += issue.hint.empty() ? "\n" : QString::fromStdString(issue.hint.str()) + "\n\n";
    }
    return text;
}

IssueRows::IssueRows(const GraphModel& model, QObject* parent)
    : QAbstractListModel(parent), model_(model) {}

/// The label of the parameter or port; what is none of them as the issue has it.
QString IssueRows::itemIn(const Issue& issue) const {
    if (issue.item == "memory" || issue.item == "memory_budget") {
        return issue.item == "memory" ? tr("Memory") : tr("Memory budget");
    }
    const NodeDesc* desc = model_.desc(issue.node);
    if (const ParamDesc* param = desc ? graph::findParam(*desc, issue.item) : nullptr) {
        return QString::fromStdString(param->label);
    }
    for (const auto& find : {graph::findInput, graph::findOutput}) {
        if (const PortDesc* port = desc ? find(*desc, issue.item) : nullptr) {
            return QString::fromStdString(port->label);
        }
    }
    return QString::fromStdString(issue.item);
}

QString IssueRows::placeOf(const Issue& issue) const {
    const QString item = itemIn(issue);
    if (issue.node.empty()) {
        return item.isEmpty() ? tr("the graph") : item;
    }
    const QString node = distinctNodeTitle(model_.document(), model_.catalog(), issue.node);
    return item.isEmpty() ? node : tr("%1, %2", "node, parameter").arg(node, item);
}

void IssueRows::setIssues(Issues issues) {
    std::stable_sort(issues.begin(), issues.end(), [](const Issue& left, const Issue& right) {
        return left.severity > right.severity;
    });
    if (std::equal(issues.begin(), issues.end(), issues_.begin(), issues_.end(), isEqual)) {
        return;
    }
    beginResetModel();
    issues_ = std::move(issues);
    endResetModel();
}

const Issue* IssueRows::issueAt(const QModelIndex& index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < issues_.size() ? &issues_[row] : nullptr;
}

int IssueRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(issues_.size());
}

QVariant IssueRows::data(const QModelIndex& index, int role) const {
    const Issue* issue = issueAt(index);
    if (!issue || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
        return {};
    }
    const QString text = titled(placeOf(*issue), QString::fromStdString(issue->message.str()));
    return role == Qt::DisplayRole || issue->hint.empty()
               ? text
               : text + "\n" + QString::fromStdString(issue->hint.str());
}

QSize IssueDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {Theme::space(50), 2 * kIssueLine + kIssueMargin};
}

bool IssueDelegate::isElided(const Issue& issue, int width) {
    const QFontMetricsF measure(Theme::current().font("small"));
    return measure.horizontalAdvance(QString::fromStdString(issue.message.str())) >
           width - kIssueIcon - 3.0 * kIssueMargin;
}

void IssueDelegate::paint(QPainter* painter,
                          const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const auto* rows = qobject_cast<const IssueRows*>(index.model());
    const Issue* issue = rows ? rows->issueAt(index) : nullptr;
    if (!issue) {
        return;
    }
    const Theme& theme = Theme::current();
    painter->save();
    paintRowGround(*painter, option);
    const QRect icon(option.rect.left() + kIssueMargin,
                     option.rect.top() + kIssueMargin / 2 + (kIssueLine - kIssueIcon) / 2,
                     kIssueIcon,
                     kIssueIcon);
    theme.icon(lookOf(issue->severity), lookOf(issue->severity)).paint(painter, icon);
    QRectF text =
        QRectF(option.rect)
            .adjusted(kIssueIcon + 2.0 * kIssueMargin, kIssueMargin / 2.0, -kIssueMargin, 0);
    text.setHeight(kIssueLine);
    paintText(*painter, text, rows->placeOf(*issue), "strong", "text");
    text.translate(0, kIssueLine);
    paintText(*painter, text, QString::fromStdString(issue->message.str()), "small", "text.muted");
    painter->restore();
}

}  // namespace lowtide::ui
