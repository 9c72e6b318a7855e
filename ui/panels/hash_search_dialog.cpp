#include "ui/panels/hash_search_dialog.hpp"

#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QDir>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kSearchWidth = Theme::space(105);
constexpr int kSearchBar = Theme::space(1);
constexpr int kWholeSearch = 1000;

QString lostName(const std::string& value) {
    return QString::fromStdString(value)
        .replace(QLatin1Char('\\'), QLatin1Char('/'))
        .section(QLatin1Char('/'), -1);
}

/// So that a long name, which cannot be broken, fits its line.
QString inOneLine(const QString& text, const QLabel& label) {
    return label.fontMetrics().elidedText(text, Qt::ElideMiddle, kSearchWidth);
}

QString firstQuestion(const WantedModel& wanted) {
    Bytes all = 0;
    for (const FoundModel& model : wanted.unread) {
        all += model.identity.size;
    }
    return HashSearchDialog::tr("No model has this name. Its hash is known: %1.")
               .arg(QString::fromStdString(autoV2(wanted.digits))) +
           QLatin1String("\n\n") +
           HashSearchDialog::tr(
               "%n models of this kind have no hash yet. The search reads %1 at "
               "most, until one has it; hashes are kept.",
               nullptr,
               static_cast<int>(wanted.unread.size()))
               .arg(bytesText(all));
}

QString unreadableText(const SearchedModel& found, const QLabel& label) {
    QStringList lines = {
        HashSearchDialog::tr("%n files could not be read:", nullptr, found.unreadable)};
    for (const QString& problem : found.problems) {
        lines << inOneLine(problem, label);
    }
    if (found.unreadable > found.problems.size()) {
        lines << QStringLiteral("…");
    }
    return lines.join(QLatin1Char('\n'));
}

QString endText(const SearchedModel& found, const QLabel& label) {
    if (found.isFound()) {
        return HashSearchDialog::tr("Found:") + QLatin1Char('\n') +
               inOneLine(QDir::toNativeSeparators(QString::fromStdString(found.model.file.path)),
                         label);
    }
    const QString text = found.isCancelled
                             ? HashSearchDialog::tr("Cancelled. Hashes made so far are kept.")
                             : HashSearchDialog::tr("None of them has this hash.");
    return found.unreadable == 0 ? text
                                 : text + QLatin1String("\n\n") + unreadableText(found, label);
}

}  // namespace

HashSearchDialog::HashSearchDialog(ModelShelf& shelf, WantedModel wanted, QWidget* parent)
    : QDialog(parent),
      search_(shelf, this),
      wanted_(std::move(wanted)),
      message_(makeText({}, "message", this)),
      bar_(named("searchBar", new QProgressBar(this))),
      choose_(makeButton(tr("Choose a file..."), "chooseOther", this)),
      close_(makeButton({}, "close", this)),
      go_(makeButton({}, "search", this)) {
    setObjectName(QStringLiteral("hashSearch"));
    setWindowTitle(tr("Find %1 by its hash").arg(lostName(wanted_.value)));
    for (QPushButton* button : {choose_, close_, go_}) {
        button->setAutoDefault(false);
    }
    message_->setTextFormat(Qt::PlainText);
    message_->setMinimumWidth(kSearchWidth);
    bar_->setAccessibleName(tr("Progress of the search"));
    bar_->setRange(0, kWholeSearch);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(kSearchBar);
    makeLayout();
    connect(&search_, &ModelSearch::progressed, this, &HashSearchDialog::showProgress);
    connect(&search_, &ModelSearch::ended, this, &HashSearchDialog::end);
    showMessage("text", firstQuestion(wanted_));
    showState();
    go_->setFocus(Qt::OtherFocusReason);
}

void HashSearchDialog::makeLayout() {
    connect(close_, &QPushButton::clicked, this, &HashSearchDialog::reject);
    connect(choose_, &QPushButton::clicked, this, [this] {
        accept();
        Q_EMIT chooseAsked(QString::fromStdString(wanted_.value));
    });
    connect(go_, &QPushButton::clicked, this, [this] {
        if (!found_) {
            begin();
            return;
        }
        accept();
        Q_EMIT useAsked(QString::fromStdString(wanted_.value), *found_);
    });
    QBoxLayout* buttons = rowOf(2, {choose_, Cell::spring(), close_, go_});
    columnIn(this, 4, {5, 5, 5, 5}, {message_, bar_, buttons})
        ->setSizeConstraint(QLayout::SetFixedSize);
}

void HashSearchDialog::begin() {
    bar_->setValue(0);
    search_.begin(wanted_.digits, wanted_.unread);
    showState();
    if (isAtWork()) {
        close_->setFocus(Qt::OtherFocusReason);
    }
}

void HashSearchDialog::showProgress(const QString& name, qint64 done, qint64 total) {
    bar_->setValue(
        static_cast<int>(static_cast<double>(done) / static_cast<double>(total) * kWholeSearch));
    showMessage("text",
                inOneLine(tr("Reading %1").arg(name), *message_) + QLatin1Char('\n') +
                    tr("%1 of %2").arg(bytesText(done), bytesText(total)));
}

void HashSearchDialog::end(const SearchedModel& found) {
    hasEnded_ = !found.isCancelled;
    if (found.isFound()) {
        found_ = QString::fromStdString(found.model.value);
        message_->setToolTip(
            QDir::toNativeSeparators(QString::fromStdString(found.model.file.path)));
    }
    showMessage(found.isFound() ? "success" : "text", endText(found, *message_));
    showState();
    (go_->isVisible() ? go_ : choose_)->setFocus(Qt::OtherFocusReason);
}

void HashSearchDialog::reject() {
    if (isAtWork()) {
        search_.cancel();
        return;
    }
    QDialog::reject();
}

void HashSearchDialog::showMessage(const char* colour, const QString& text) {
    setTextColour(*message_, colour);
    message_->setText(text);
}

void HashSearchDialog::showState() {
    bar_->setVisible(isAtWork());
    choose_->setVisible(!isAtWork() && !found_);
    close_->setText(isAtWork() ? tr("Cancel") : tr("Close"));
    go_->setText(found_ ? tr("Use it") : tr("Search by hash"));
    go_->setVisible(!isAtWork() && (found_ || !hasEnded_));
    (go_->isVisibleTo(this) ? go_ : choose_)->setDefault(true);
}

}  // namespace lowtide::ui
