#include "ui/panels/missing_files_dialog.hpp"

#include "ui/editors/choice_editor.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kMissingWidth = Theme::space(140);
constexpr int kFittingLetters = 18;

QString shortName(const std::string& value) {
    return QString::fromStdString(value)
        .replace(QLatin1Char('\\'), QLatin1Char('/'))
        .section(QLatin1Char('/'), -1);
}

QString fittingText(const FittingFile& file) {
    return file.detail.isEmpty() ? file.label
                                 : QStringLiteral("%1 (%2)").arg(file.label, file.detail);
}

}  // namespace

MissingFilesDialog::MissingFilesDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("missingFiles"));
    setWindowTitle(tr("Missing files"));
    auto* text = makeText(tr("The graph names files that are not there. Use files of yours that "
                             "fit, or locate them."),
                          "missingText",
                          this);
    auto* rows = new QWidget(this);
    column_ = columnIn(rows, 4, {5, 2, 5, 2}, {Cell::spring()});
    all_ = makeButton(tr("Use all selected"), "useAll", this);
    all_->setDefault(true);
    QPushButton* close = makeButton(tr("Close"), "closeMissing", this);
    close->setAutoDefault(false);
    connect(all_, &QPushButton::clicked, this, [this] {
        ChosenFiles chosen;
        for (const Row& row : rows_) {
            chosen.merge(chosenIn(row));
        }
        Q_EMIT useAsked(chosen);
    });
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    columnIn(this,
             0,
             {columnIn(nullptr, 0, {5, 5, 5, 2}, {text}),
              {new ScrolledPart(rows, this), 1},
              rowIn(nullptr, 2, {5, 3, 5, 5}, {Cell::spring(), close, all_})});
    setMinimumWidth(kMissingWidth);
}

void MissingFilesDialog::setFiles(const std::vector<WantedFile>& files) {
    for (const WantedFile& file : files) {
        const auto known = std::ranges::find_if(
            rows_, [&](const Row& row) { return row.file.value == file.value; });
        if (known == rows_.end()) {
            addRow(file);
        } else if (known->file != file) {
            known->file = file;
            fill(*known);
        }
    }
    for (Row& row : rows_) {
        row.isMissing = std::ranges::any_of(
            files, [&](const WantedFile& file) { return file.value == row.file.value; });
    }
    showState();
    if (!rows_.empty() && std::ranges::none_of(rows_, &Row::isMissing)) {
        accept();
    }
}

void MissingFilesDialog::focusFile(const std::string& value) {
    const auto row =
        std::ranges::find_if(rows_, [&](const Row& each) { return each.file.value == value; });
    if (row != rows_.end()) {
        QWidget* first = row->use->isEnabled() ? row->use : row->locate;
        first->setFocus(Qt::OtherFocusReason);
    }
}

void MissingFilesDialog::addRow(const WantedFile& file) {
    const QString number = QString::number(rows_.size());
    auto* part = new QWidget(this);
    auto* name = new QLabel(part);
    name->setTextFormat(Qt::PlainText);
    name->setFont(Theme::current().font("label"));
    name->setText(name->fontMetrics().elidedText(
        shortName(file.value), Qt::ElideMiddle, kMissingWidth - 2 * Theme::space(5)));
    name->setToolTip(QString::fromStdString(file.value));
    Row row{.file = file,
            .what = makeText({}, "what", part, "small", "text.muted"),
            .fitting = named(QStringLiteral("fitting_") + number, new ChoiceBox(part)),
            .use = makeButton(tr("Use"), "", part),
            .search = makeButton(tr("Search by hash..."), "", part),
            .locate = makeButton(tr("Locate..."), "", part)};
    row.what->setObjectName(QStringLiteral("what_") + number);
    row.use->setObjectName(QStringLiteral("use_") + number);
    row.search->setObjectName(QStringLiteral("search_") + number);
    row.locate->setObjectName(QStringLiteral("locate_") + number);
    for (QPushButton* each : {row.use, row.search, row.locate}) {
        each->setAutoDefault(false);
        each->setAccessibleName(QStringLiteral("%1 %2").arg(each->text(), name->text()));
    }
    row.fitting->setAccessibleName(tr("Files that fit in place of %1").arg(name->text()));
    row.fitting->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    row.fitting->setMinimumContentsLength(kFittingLetters);
    columnIn(
        part, 1, {name, row.what, rowOf(2, {{row.fitting, 1}, row.use, row.search, row.locate})});
    column_->insertWidget(column_->count() - 1, part);
    rows_.push_back(row);
    fill(rows_.back());
    connectRow(rows_.size() - 1);
}

void MissingFilesDialog::connectRow(size_t index) {
    const Row& row = rows_[index];
    const QString value = QString::fromStdString(row.file.value);
    connect(row.fitting, &QComboBox::activated, this, &MissingFilesDialog::showState);
    connect(row.use, &QPushButton::clicked, this, [this, index] {
        Q_EMIT useAsked(chosenIn(rows_[index]));
    });
    connect(row.search, &QPushButton::clicked, this, [this, value] { Q_EMIT searchAsked(value); });
    connect(row.locate, &QPushButton::clicked, this, [this, value] { Q_EMIT locateAsked(value); });
}

/// What the user has chosen remains chosen where it still fits.
void MissingFilesDialog::fill(Row& row) {
    const QVariant before = row.fitting->currentData();
    row.fitting->clear();
    for (const FittingFile& file : row.file.fitting) {
        row.fitting->addItem(fittingText(file), file.value);
        row.fitting->setItemData(row.fitting->count() - 1, file.value, Qt::ToolTipRole);
    }
    const bool isSure = !row.file.fitting.empty() && row.file.fitting.front().isSure;
    const int kept = before.isValid() ? row.fitting->findData(before) : -1;
    row.fitting->setPlaceholderText(row.file.fitting.empty()
                                        ? tr("Nothing in your model folders fits")
                                        : tr("Choose one of %n", nullptr, row.fitting->count()));
    row.fitting->setCurrentIndex(kept >= 0 ? kept : isSure ? 0 : -1);
}

void MissingFilesDialog::showState() {
    size_t chosen = 0;
    for (Row& row : rows_) {
        const bool canUse = !chosenIn(row).empty();
        chosen += canUse ? 1 : 0;
        row.what->setText(row.isMissing ? row.file.what : tr("Found"));
        setTextColour(*row.what, row.isMissing ? "text.muted" : "success");
        row.fitting->setToolTip(row.fitting->currentText());
        row.fitting->setEnabled(row.isMissing && row.fitting->count() > 0);
        row.use->setEnabled(canUse);
        row.search->setVisible(row.file.isSearchable);
        row.search->setEnabled(row.isMissing);
        row.locate->setEnabled(row.isMissing);
    }
    all_->setEnabled(chosen > 0);
}

ChosenFiles MissingFilesDialog::chosenIn(const Row& row) const {
    const QString chosen = row.fitting->currentData().toString();
    return row.isMissing && !chosen.isEmpty() ? ChosenFiles{{row.file.value, chosen}}
                                              : ChosenFiles();
}

}  // namespace lowtide::ui
