#include "ui/panels/issues_panel.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/run_control.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/node_title.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/panels/fixes.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QClipboard>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolButton>

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

int countOf(const Issues& issues, Severity severity) {
    return static_cast<int>(std::ranges::count(issues, severity, &Issue::severity));
}

/// Paints an issue: its severity, where it is, the sentence.
class IssueDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {Theme::space(50), 2 * kIssueLine + kIssueMargin};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const auto* rows = qobject_cast<const IssueRows*>(index.model());
        const Issue* issue = rows ? rows->issueAt(index) : nullptr;
        if (!issue) {
            return;
        }
        painter->save();
        paintRowGround(*painter, option);
        const QRect icon(option.rect.left() + kIssueMargin,
                         option.rect.top() + kIssueMargin / 2 + (kIssueLine - kIssueIcon) / 2,
                         kIssueIcon,
                         kIssueIcon);
        const char* look = lookOf(issue->severity);
        Theme::current().icon(look, look).paint(painter, icon);
        QRectF text =
            QRectF(option.rect)
                .adjusted(kIssueIcon + 2.0 * kIssueMargin, kIssueMargin / 2.0, -kIssueMargin, 0);
        text.setHeight(kIssueLine);
        paintText(*painter, text, rows->positionOf(*issue), "strong", "text");
        text.translate(0, kIssueLine);
        const QString message = QString::fromStdString(issue->message.str());
        paintText(*painter, text, message, "small", "text.muted");
        painter->restore();
    }
};

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

QString IssueRows::positionOf(const Issue& issue) const {
    const QString item = itemIn(issue);
    if (issue.node.empty()) {
        return item.isEmpty() ? tr("the graph") : item;
    }
    const QString node = distinctNodeTitle(model_.document(), model_.catalog(), issue.node);
    return item.isEmpty() ? node : tr("%1, %2", "node, parameter").arg(node, item);
}

void IssueRows::setIssues(Issues issues) {
    std::ranges::stable_sort(issues, [](const Issue& left, const Issue& right) {
        return left.severity > right.severity;
    });
    if (std::ranges::equal(issues, issues_, isEqual)) {
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
    const QString text = titled(positionOf(*issue), QString::fromStdString(issue->message.str()));
    return role == Qt::DisplayRole || issue->hint.empty()
               ? text
               : text + "\n" + QString::fromStdString(issue->hint.str());
}

bool isElided(const Issue& issue, int width) {
    const QFontMetricsF measure(Theme::current().font("small"));
    return measure.horizontalAdvance(QString::fromStdString(issue.message.str())) >
           width - kIssueIcon - 3.0 * kIssueMargin;
}

IssuesPanel::IssuesPanel(GraphModel& model, Planning& planning, RunQueue& queue, QWidget* parent)
    : QWidget(parent),
      model_(model),
      planning_(planning),
      queue_(queue),
      rows_(new IssueRows(model, this)),
      list_(named("issues", new QListView(this))),
      empty_(makeText(tr("No issues: the graph can run."), "noIssues", this)),
      counts_(named("issueCounts", new QLabel(this))),
      copy_(makeIconButton("copy", tr("Copy all issues as a report"), "copyReport", this)),
      details_(new Notice("issueDetails", this)) {
    setObjectName("issuesPanel");
    build();
    connect(&planning_, &Planning::answered, this, &IssuesPanel::collect);
    connect(&queue_, &RunQueue::started, this, [this](quint64 id) {
        if (!run_ || !run_->isOfHidden(id)) {
            shownRun_ = id;
            changed_.clear();
            collect();
        }
    });
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            shownRun_ = run_ ? run_->lastRun() : 0;
            changed_.clear();
            collect();
        } else if (shownRun_ != 0 && !delta.onlyLooks && !delta.changed.empty()) {
            changed_.insert(delta.changed.begin(), delta.changed.end());
            collect();
        }
    });
    connect(&queue_, &RunQueue::runChanged, this, [this](quint64 id) {
        const QueuedRun* run = id == shownRun_ ? queue_.find(id) : nullptr;
        if (run && !run->issues.empty()) {
            collect();
        }
    });
    connect(list_->selectionModel(),
            &QItemSelectionModel::selectionChanged,
            this,
            &IssuesPanel::showSelected);
    connect(list_, &QListView::activated, this, &IssuesPanel::jump);
    connect(list_, &QListView::clicked, this, &IssuesPanel::jump);
    connect(details_, &Notice::fixChosen, this, &IssuesPanel::apply);
    connect(copy_, &QToolButton::clicked, this, &IssuesPanel::copyReport);
    collect();
}

void IssuesPanel::build() {
    list_->setAccessibleName(tr("Issues"));
    list_->setModel(rows_);
    list_->setItemDelegate(new IssueDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    empty_->setAlignment(Qt::AlignCenter);
    QBoxLayout* top = rowIn(nullptr, 0, {3, 1, 2, 1}, {{counts_, 1}, copy_});
    columnIn(this, 0, {top, {list_, 1}, {empty_, 1}, details_});
}

int IssuesPanel::errorCount() const {
    return countOf(rows_->issues(), Severity::Error);
}

int IssuesPanel::warningCount() const {
    return countOf(rows_->issues(), Severity::Warning);
}

QString IssuesPanel::report() const {
    return reportText(rows_->issues());
}

void IssuesPanel::offerConversion() {
    canConvert_ = true;
    showSelected();
}

void IssuesPanel::copyReport() {
    QGuiApplication::clipboard()->setText(report());
}

void IssuesPanel::setImport(Issues issues) {
    import_ = std::move(issues);
    collect();
}

/// Of the graph as it stands, then what the run and the import add.
void IssuesPanel::collect() {
    Issues issues = planning_.planned().issues;
    if (const QueuedRun* run = queue_.find(shownRun_)) {
        Issues reported = run->issues;
        std::erase_if(reported, [this](const Issue& each) { return changed_.contains(each.node); });
        addNew(issues, reported);
    }
    Issues imported = import_;  // a deleted node may come back
    std::erase_if(imported, [this](const Issue& each) {
        return !each.node.empty() && !model_.node(each.node);
    });
    addNew(issues, imported);
    rows_->setIssues(std::move(issues));  // keeps rows and selection when they are the same
    const bool isEmpty = rows_->issues().empty();
    empty_->setVisible(isEmpty);
    list_->setVisible(!isEmpty);
    copy_->setEnabled(!isEmpty);
    const int errors = errorCount();
    const int warnings = warningCount();
    counts_->setText(
        tr("%1, %2").arg(tr("%n errors", nullptr, errors), tr("%n warnings", nullptr, warnings)));
    counts_->setVisible(!isEmpty);
    copy_->setVisible(!isEmpty);
    showSelected();
    Q_EMIT countsChanged(errors, warnings);
}

void IssuesPanel::showSelected() {
    const Issue* issue = rows_->issueAt(list_->currentIndex());
    if (!issue) {
        details_->showMessage(Notice::Tone::Info, {});
        return;
    }
    const Notice::Tone tone = issue->severity == Severity::Error     ? Notice::Tone::Error
                              : issue->severity == Severity::Warning ? Notice::Tone::Warning
                                                                     : Notice::Tone::Info;
    std::vector<Fix> fixes = fixesFor(*issue, model_.document(), model_.catalog(), canConvert_);
    QStringList lines;
    if (isElided(*issue, list_->viewport()->width())) {
        lines << QString::fromStdString(issue->message.str());
    }
    if (!issue->hint.empty()) {
        lines << QString::fromStdString(issue->hint.str());
    }
    if (lines.isEmpty() && !fixes.empty()) {
        lines << tr("What can be done:");
    }
    details_->showMessage(tone, lines.join(QLatin1Char('\n')), std::move(fixes));
}

void IssuesPanel::apply(const Fix& fix) {
    const Issue* issue = rows_->issueAt(list_->currentIndex());
    if (!issue) {
        return;
    }
    if (fix.convert) {
        Q_EMIT convertAsked(*fix.convert);
    } else if (!fix.edit) {
        Q_EMIT locateRequested(issue->node, issue->item);
    } else if (!applyFix(model_, *issue, fix)) {
        showSelected();  // the graph is another one; what it offers now
    }
}

void IssuesPanel::jump() {
    const Issue* issue = rows_->issueAt(list_->currentIndex());
    if (issue && !issue->node.empty()) {
        Q_EMIT jumpRequested(issue->node, issue->item);
    }
}

}  // namespace lowtide::ui
