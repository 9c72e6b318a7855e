#include "ui/studio/recovery_dialog.hpp"

#include "ui/theme/theme.hpp"

#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

QString lineOf(const Recovered& recovered) {
    const QDateTime time = QDateTime::fromString(recovered.writtenAt, Qt::ISODate).toLocalTime();
    const QString name = recovered.path.isEmpty() ? RecoveryDialog::tr("never saved")
                                                  : QFileInfo(recovered.path).fileName();
    const QString line =
        RecoveryDialog::tr(
            "%1, %n nodes, kept %2", nullptr, static_cast<int>(recovered.document.nodes.size()))
            .arg(name, QLocale().toString(time, QLocale::ShortFormat));
    return recovered.perhapsOpenOn.isEmpty() ? line
                                             : RecoveryDialog::tr("%1; may still be open on %2")
                                                   .arg(line, recovered.perhapsOpenOn);
}

/// However many there are, the buttons stay on the screen.
QWidget* problemsPart(const std::vector<QString>& problems, QWidget& dialog) {
    auto* lines = new QWidget(&dialog);
    auto* column = new QVBoxLayout(lines);
    column->setContentsMargins(0, 0, 0, 0);
    for (const QString& problem : problems) {
        auto* line = new QLabel(problem, lines);
        line->setWordWrap(true);
        line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // long names are cut
        line->setForegroundRole(QPalette::BrightText);
        column->addWidget(line);
    }
    auto* part = new QScrollArea(&dialog);
    part->setFrameShape(QFrame::NoFrame);
    part->setWidgetResizable(true);
    part->setWidget(lines);
    const int width = dialog.width() - Theme::space(10);
    part->setFixedHeight(std::min(column->totalHeightForWidth(width), Theme::space(30)));
    return part;
}

}  // namespace

RecoveryDialog::RecoveryDialog(std::vector<Recovered> found,
                               const std::vector<QString>& problems,
                               QWidget* parent)
    : QDialog(parent),
      found_(std::move(found)),
      list_(new QListWidget(this)),
      open_(new QPushButton(tr("Recover"), this)),
      discard_(new QPushButton(tr("Throw away"), this)) {
    setObjectName(QStringLiteral("recovery"));
    setWindowTitle(tr("Recover graphs"));
    resize(Theme::space(120), Theme::space(70));
    auto* text = new QLabel(tr("The studio was not closed properly. Unsaved changes were kept and "
                               "can be opened again. The saved files are unchanged."),
                            this);
    text->setWordWrap(true);
    list_->setObjectName(QStringLiteral("list"));
    open_->setObjectName(QStringLiteral("recover"));
    open_->setDefault(true);
    discard_->setObjectName(QStringLiteral("discard"));
    auto* later = new QPushButton(tr("Later"), this);
    later->setObjectName(QStringLiteral("later"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(4), Theme::space(4), Theme::space(4), Theme::space(4));
    column->setSpacing(Theme::space(3));
    column->addWidget(text);
    column->addWidget(list_, 1);
    if (!problems.empty()) {
        column->addWidget(problemsPart(problems, *this));
    }
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(Theme::space(2));
    buttons->addWidget(discard_);
    buttons->addStretch(1);
    buttons->addWidget(later);
    buttons->addWidget(open_);
    column->addLayout(buttons);
    connect(later, &QPushButton::clicked, this, &QDialog::reject);
    connect(discard_, &QPushButton::clicked, this, &RecoveryDialog::discardSelected);
    connect(open_, &QPushButton::clicked, this, [this] {
        chosen_ = found_.at(static_cast<size_t>(list_->currentRow()));
        accept();
    });
    connect(list_, &QListWidget::itemActivated, open_, &QPushButton::click);
    fill();
}

void RecoveryDialog::fill() {
    list_->clear();
    for (const Recovered& recovered : found_) {
        auto* item = new QListWidgetItem(lineOf(recovered), list_);
        item->setToolTip(recovered.path);
    }
    list_->setCurrentRow(found_.empty() ? -1 : 0);
    open_->setEnabled(!found_.empty());
    discard_->setEnabled(!found_.empty());
}

void RecoveryDialog::discardSelected() {
    const int row = list_->currentRow();
    if (row < 0 || QMessageBox::question(
                       this,
                       tr("Throw away"),
                       tr("Throw away the unsaved changes of “%1”? They cannot be brought back.")
                           .arg(list_->item(row)->text())) != QMessageBox::Yes) {
        return;
    }
    discard(found_.at(static_cast<size_t>(row)));
    found_.erase(found_.begin() + row);
    fill();
    if (found_.empty()) {
        reject();
    }
}

}  // namespace lowtide::ui
