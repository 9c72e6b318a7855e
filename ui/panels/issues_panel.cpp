#include "ui/panels/issues_panel.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/panels/issue_rows.hpp"
#include "ui/panels/notice.hpp"
#include "ui/theme/theme.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

int countOf(const Issues& issues, Severity severity) {
    return static_cast<int>(
        std::count_if(issues.begin(), issues.end(), [severity](const Issue& issue) {
            return issue.severity == severity;
        }));
}

}  // namespace

IssuesPanel::IssuesPanel(GraphModel& model, Planning& planning, RunQueue& queue, QWidget* parent)
    : QWidget(parent),
      model_(model),
      planning_(planning),
      queue_(queue),
      rows_(new IssueRows(model, this)),
      list_(new QListView(this)),
      empty_(new QLabel(this)),
      counts_(new QLabel(this)),
      copy_(new QToolButton(this)),
      details_(new Notice("issueDetails", this)) {
    setObjectName("issuesPanel");
    build();
    connect(&planning_, &Planning::answered, this, &IssuesPanel::collect);
    connect(&queue_, &RunQueue::started, this, [this](quint64 id) {
        shownRun_ = id;
        collect();
    });
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            shownRun_ = 0;  // another document's
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
    connect(details_, &Notice::fixChosen, this, &IssuesPanel::mend);
    connect(copy_, &QToolButton::clicked, this, &IssuesPanel::copyReport);
    collect();
}

void IssuesPanel::build() {
    counts_->setObjectName("issueCounts");
    copy_->setObjectName("copyReport");
    copy_->setIcon(Theme::current().icon("copy"));
    copy_->setAutoRaise(true);
    copy_->setToolTip(tr("Copy all issues as a report"));
    copy_->setAccessibleName(copy_->toolTip());
    list_->setObjectName("issues");
    list_->setAccessibleName(tr("Issues"));
    list_->setModel(rows_);
    list_->setItemDelegate(new IssueDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    empty_->setObjectName("noIssues");
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setText(tr("No issues: the graph can run."));
    auto* top = new QHBoxLayout;
    top->setContentsMargins(Theme::space(3), Theme::space(1), Theme::space(2), Theme::space(1));
    top->addWidget(counts_, 1);
    top->addWidget(copy_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(list_, 1);
    layout->addWidget(empty_, 1);
    layout->addWidget(details_);
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

/// Of the graph as it stands, then what the run adds.
void IssuesPanel::collect() {
    Issues issues = planning_.planned().issues;
    if (const QueuedRun* run = queue_.find(shownRun_)) {
        addNew(issues, run->issues);
    }
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
        details_->tell(Notice::Tone::Info, {});
        return;
    }
    const Notice::Tone tone = issue->severity == Severity::Error     ? Notice::Tone::Error
                              : issue->severity == Severity::Warning ? Notice::Tone::Warning
                                                                     : Notice::Tone::Info;
    std::vector<Fix> fixes = fixesFor(*issue, model_.document(), model_.catalog(), canConvert_);
    QStringList lines;
    if (IssueDelegate::isElided(*issue, list_->viewport()->width())) {
        lines << QString::fromStdString(issue->message.str());
    }
    if (!issue->hint.empty()) {
        lines << QString::fromStdString(issue->hint.str());
    }
    if (lines.isEmpty() && !fixes.empty()) {
        lines << tr("What can be done:");
    }
    details_->tell(tone, lines.join(QLatin1Char('\n')), std::move(fixes));
}

void IssuesPanel::mend(const Fix& fix) {
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
