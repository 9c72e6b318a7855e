#include "ui/panels/axis_editor.hpp"

#include "plugin/base/error.hpp"
#include "ui/editors/choice_editor.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/vary/variation.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kValueRole = Qt::UserRole;
constexpr int kNothing = -1;
constexpr qsizetype kLettersOfALabel = 60;
constexpr int kLinesOfTexts = 4;
constexpr qsizetype kLettersOfADetail = 24;  ///< a longer one is a tip

bool takesFiles(const SheetItem& item) {
    return item.param &&
           (item.param->kind == ParamKind::File || item.param->kind == ParamKind::Folder);
}

/// In one line.
QString shortText(const std::string& text) {
    const QString whole = QString::fromStdString(text).simplified();
    return whole.size() > kLettersOfALabel ? whole.left(kLettersOfALabel - 1) + QChar(0x2026)
                                           : whole;
}

}  // namespace

AxisEditor::AxisEditor(const graph::Document& document,
                       const graph::Catalog& catalog,
                       const std::vector<SheetItem>& items,
                       const OfferedFiles* offered,
                       bool mayBeNone,
                       QWidget* parent)
    : QWidget(parent),
      document_(document),
      catalog_(catalog),
      items_(items),
      offered_(offered),
      typed_(items.size()) {
    build(mayBeNone);
    choose(kNothing);
}

void AxisEditor::build(bool mayBeNone) {
    item_ = new ChoiceBox(this);
    item_->setObjectName(QStringLiteral("item"));
    item_->setAccessibleName(tr("What differs"));
    item_->setPlaceholderText(tr("Choose what differs"));
    if (mayBeNone) {
        item_->addItem(tr("Nothing"), kNothing);
    }
    for (size_t i = 0; i < items_.size(); ++i) {
        item_->addItem(items_[i].title(), static_cast<int>(i));
    }
    connect(item_, &QComboBox::activated, this, [this] {
        fill();
        focusValues();
    });
    pages_ = new QStackedWidget(this);
    pages_->addWidget(makeNumbers());
    pages_->addWidget(makeTicks());
    pages_->addWidget(makeTexts());
    message_ = new QLabel(this);
    message_->setObjectName(QStringLiteral("says"));
    message_->setWordWrap(true);
    message_->setFont(Theme::current().font("small"));
    message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(2));
    column->addWidget(item_);
    column->addWidget(pages_, 1);
    column->addWidget(message_);
}

QWidget* AxisEditor::makeNumbers() {
    auto* page = new QWidget(this);
    numbers_ = new QLineEdit(page);
    numbers_->setObjectName(QStringLiteral("numbers"));
    numbers_->setAccessibleName(tr("Values"));
    numbers_->setPlaceholderText(tr("4, 8, 12 or 4-12 (+2) or 1-10 [4]"));
    numbers_->setToolTip(
        tr("A list: 4, 8, 12\nA range: 1-5\nWith a distance: 4-12 (+2) or 1..5 "
           "step 2\nSo many, evenly apart: 1-10 [4]"));
    connect(numbers_, &QLineEdit::textChanged, this, &AxisEditor::emitChanged);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(numbers_);
    column->addStretch(1);
    return page;
}

QWidget* AxisEditor::makeTicks() {
    auto* page = new QWidget(this);
    ticks_ = new QListWidget(page);
    ticks_->setObjectName(QStringLiteral("ticks"));
    ticks_->setAccessibleName(tr("Values"));
    ticks_->setUniformItemSizes(true);
    others_ = new QLineEdit(page);
    others_->setObjectName(QStringLiteral("others"));
    others_->setAccessibleName(tr("Others"));
    others_->setPlaceholderText(tr("Others, apart by a semicolon"));
    files_ = new QPushButton(tr("Add files..."), page);
    files_->setObjectName(QStringLiteral("addFiles"));
    files_->setAutoDefault(false);
    connect(ticks_, &QListWidget::itemChanged, this, &AxisEditor::emitChanged);
    connect(others_, &QLineEdit::textChanged, this, &AxisEditor::emitChanged);
    connect(files_, &QPushButton::clicked, this, &AxisEditor::addFiles);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(1));
    column->addWidget(ticks_, 1);
    column->addWidget(others_);
    column->addWidget(files_, 0, Qt::AlignLeft);
    return page;
}

QWidget* AxisEditor::makeTexts() {
    auto* page = new QWidget(this);
    way_ = new QComboBox(page);
    way_->setObjectName(QStringLiteral("way"));
    way_->setAccessibleName(tr("How the text differs"));
    way_->addItem(tr("A word is replaced"));
    way_->addItem(tr("A text on each line"));
    texts_ = new QPlainTextEdit(page);
    texts_->setObjectName(QStringLiteral("texts"));
    texts_->setAccessibleName(tr("Values"));
    texts_->setTabChangesFocus(true);
    texts_->setMinimumHeight(texts_->fontMetrics().lineSpacing() * kLinesOfTexts);
    const auto showWay = [this] {
        texts_->setPlaceholderText(
            way_->currentIndex() == 0
                ? tr("cat, dog, fox\nThe first word is in the text; each of the others "
                     "takes its place.")
                : tr("One whole text on each line"));
    };
    showWay();
    connect(way_, &QComboBox::activated, this, [this, showWay] {
        showWay();
        emitChanged();
    });
    connect(texts_, &QPlainTextEdit::textChanged, this, &AxisEditor::emitChanged);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(1));
    column->addWidget(way_);
    column->addWidget(texts_, 1);
    return page;
}

void AxisEditor::choose(int item) {
    item_->setCurrentIndex(item_->findData(item));
    fill();
}

int AxisEditor::chosen() const {
    return item_->currentIndex() < 0 ? kNothing : item_->currentData().toInt();
}

void AxisEditor::keep() {
    if (shown_ < 0) {
        return;
    }
    Typed& typed = typed_[static_cast<size_t>(shown_)];
    typed.numbers = numbers_->text();
    typed.texts = texts_->toPlainText();
    typed.areWords = way_->currentIndex() == 0;
    typed.others = others_->text();
    for (int row = 0; row < ticks_->count(); ++row) {
        typed.choices[static_cast<size_t>(row)].isTicked =
            ticks_->item(row)->checkState() == Qt::Checked;
    }
}

void AxisEditor::fill() {
    keep();
    shown_ = chosen();
    pages_->setEnabled(shown_ >= 0);
    if (shown_ >= 0) {
        const SheetItem& item = items_[static_cast<size_t>(shown_)];
        Typed& typed = typed_[static_cast<size_t>(shown_)];
        if (!std::exchange(typed.isFilled, true)) {
            typed.areWords = true;
            if (item.kind == SheetItemKind::Ticks) {
                typed.choices = choicesOf(item, document_, offered_);
            } else if (item.kind == SheetItemKind::Numbers) {
                typed.numbers = suggestedText(item, document_);
            }
        }
        pages_->setCurrentIndex(static_cast<int>(item.kind));
        others_->setVisible(item.takesOthers && !takesFiles(item));
        files_->setVisible(takesFiles(item));
        showTyped(typed);
    }
    emitChanged();
}

void AxisEditor::showTyped(const Typed& typed) {
    const QSignalBlocker quietNumbers(numbers_);
    const QSignalBlocker quietTexts(texts_);
    const QSignalBlocker quietTicks(ticks_);
    const QSignalBlocker quietOthers(others_);
    numbers_->setText(typed.numbers);
    texts_->setPlainText(typed.texts);
    way_->setCurrentIndex(typed.areWords ? 0 : 1);
    others_->setText(typed.others);
    ticks_->clear();
    for (const SheetChoice& choice : typed.choices) {
        const QString text = choice.detail.isEmpty()
                                 ? choice.value.label
                                 : tr("%1 · %2").arg(choice.value.label, choice.detail);
        const bool isShort = choice.detail.size() <= kLettersOfADetail;
        auto* row = new QListWidgetItem(isShort ? text : choice.value.label, ticks_);
        row->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        row->setCheckState(choice.isTicked ? Qt::Checked : Qt::Unchecked);
        row->setData(kValueRole, QString::fromStdString(choice.value.value));
        row->setToolTip(text);
    }
}

void AxisEditor::addFiles() {
    const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Files"));
    keep();
    Typed& typed = typed_[static_cast<size_t>(shown_)];
    for (const QString& path : paths) {
        typed.choices.push_back({.value = {path.toStdString(), QFileInfo(path).fileName()},
                                 .detail = QFileInfo(path).absolutePath(),
                                 .isTicked = true});
    }
    showTyped(typed);
    emitChanged();
}

void AxisEditor::swapWith(AxisEditor& other) {
    keep();
    other.keep();
    const int mine = chosen();
    const int theirs = other.chosen();
    std::swap(typed_, other.typed_);
    shown_ = kNothing;  // what it shows is the other's now
    other.shown_ = kNothing;
    choose(theirs);
    other.choose(mine);
}

std::vector<SheetValue> AxisEditor::tickedValues() const {
    const Typed& typed = typed_[static_cast<size_t>(shown_)];
    std::vector<SheetValue> values;
    for (int row = 0; row < ticks_->count(); ++row) {
        if (ticks_->item(row)->checkState() == Qt::Checked) {
            values.push_back(typed.choices[static_cast<size_t>(row)].value);
        }
    }
    for (const QString& other : others_->text().split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
        const QString text = other.trimmed();
        if (!text.isEmpty()) {
            values.push_back({text.toStdString(), text});
        }
    }
    return values;
}

std::vector<SheetValue> AxisEditor::textValues() const {
    const bool areWords = way_->currentIndex() == 0;
    const std::vector<std::string> lines =
        linesTyped(texts_->toPlainText().toStdString(), areWords);
    const std::vector<std::string> texts =
        areWords && !lines.empty()
            ? replacedIn(ownText(items_[static_cast<size_t>(shown_)], document_), lines)
            : lines;
    std::vector<SheetValue> values;
    for (size_t i = 0; i < texts.size(); ++i) {
        values.push_back({texts[i], shortText(lines[i])});
    }
    return values;
}

std::vector<SheetValue> AxisEditor::values() const {
    const SheetItem& item = items_[static_cast<size_t>(shown_)];
    if (item.kind == SheetItemKind::Ticks) {
        return tickedValues();
    }
    if (item.kind == SheetItemKind::Texts) {
        return textValues();
    }
    std::vector<SheetValue> values;
    const bool areIntegers = item.param->kind != ParamKind::Float;
    for (const std::string& number : numbersTyped(numbers_->text().toStdString(), areIntegers)) {
        values.push_back({number, QString::fromStdString(number)});
    }
    return values;
}

void AxisEditor::emitChanged() {
    problem_.clear();
    axis_.reset();
    QString count;
    if (shown_ >= 0) {
        const SheetItem& item = items_[static_cast<size_t>(shown_)];
        std::vector<SheetValue> given;
        try {
            given = values();
            problem_ = given.empty() ? tr("There are no values yet.")
                                     : refusalOf(item, given, document_, catalog_);
        } catch (const Error& error) {
            problem_ = sentencesOf(error);
        }
        if (problem_.isEmpty()) {
            QStringList labels;
            for (const SheetValue& value : given) {
                labels << value.label;
            }
            count = tr("%n values: %1", nullptr, static_cast<int>(given.size()))
                        .arg(shortText(listed(labels).toStdString()));
            axis_ = SheetAxis{.node = item.node,
                              .item = item.item,
                              .nodeLabel = item.nodeLabel,
                              .label = item.label,
                              .values = std::move(given)};
        }
    }
    setTextColour(*message_, problem_.isEmpty() ? "text.muted" : "error");
    message_->setText(problem_.isEmpty() ? count : problem_);
    Q_EMIT changed();
}

std::optional<SheetAxis> AxisEditor::axis() const {
    return axis_;
}

QString AxisEditor::problem() const {
    return problem_;
}

void AxisEditor::focusValues() {
    if (shown_ < 0) {
        return;
    }
    const SheetItemKind kind = items_[static_cast<size_t>(shown_)].kind;
    if (kind == SheetItemKind::Numbers) {
        numbers_->setFocus(Qt::OtherFocusReason);
        numbers_->selectAll();
    } else {
        (kind == SheetItemKind::Ticks ? static_cast<QWidget*>(ticks_) : texts_)
            ->setFocus(Qt::OtherFocusReason);
    }
}

}  // namespace lowtide::ui
