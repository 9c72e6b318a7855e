#include "ui/panels/sheet_dialog.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/editors/choice_editor.hpp"
#include "ui/language/language.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"
#include "ui/vary/variation.hpp"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGroupBox>
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

/// In one line.
QString shortText(const std::string& text) {
    const QString whole = QString::fromStdString(text).simplified();
    return whole.size() > kLettersOfALabel ? whole.left(kLettersOfALabel - 1) + QChar(0x2026)
                                           : whole;
}

/// Plans are asked for when the user has rested so long.
constexpr int kForecastRest = 250;
constexpr int kSheetDialogWidth = 640;
constexpr int kSheetDialogHeight = 520;

QGroupBox* framed(const QString& title, AxisEditor* editor, QWidget* parent) {
    auto* box = new QGroupBox(title, parent);
    auto* column = new QVBoxLayout(box);
    column->addWidget(editor);
    return box;
}

QLabel* sentence(const char* name, QWidget* parent) {
    QLabel* label = makeText({}, name, parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}

bool isSeed(const std::vector<SheetItem>& items, int index) {
    return index >= 0 && items[static_cast<size_t>(index)].param &&
           items[static_cast<size_t>(index)].param->kind == ParamKind::Seed;
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
    message_ = makeText({}, "says", this, "small");
    message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    columnIn(this, 2, {item_, {pages_, 1}, message_});
}

QWidget* AxisEditor::makeNumbers() {
    auto* page = new QWidget(this);
    numbers_ = named("numbers", new QLineEdit(page));
    numbers_->setAccessibleName(tr("Values"));
    numbers_->setPlaceholderText(tr("4, 8, 12 or 4-12 (+2) or 1-10 [4]"));
    numbers_->setToolTip(
        tr("A list: 4, 8, 12\nA range: 1-5\nWith a distance: 4-12 (+2) or 1..5 "
           "step 2\nSo many, evenly apart: 1-10 [4]"));
    connect(numbers_, &QLineEdit::textChanged, this, &AxisEditor::emitChanged);
    columnIn(page, 0, {numbers_, Cell::spring()});
    return page;
}

QWidget* AxisEditor::makeTicks() {
    auto* page = new QWidget(this);
    ticks_ = named("ticks", new QListWidget(page));
    ticks_->setAccessibleName(tr("Values"));
    ticks_->setUniformItemSizes(true);
    others_ = named("others", new QLineEdit(page));
    others_->setAccessibleName(tr("Others"));
    others_->setPlaceholderText(tr("Others, apart by a semicolon"));
    files_ = makeButton(tr("Add files..."), "addFiles", page);
    files_->setAutoDefault(false);
    connect(ticks_, &QListWidget::itemChanged, this, &AxisEditor::emitChanged);
    connect(others_, &QLineEdit::textChanged, this, &AxisEditor::emitChanged);
    connect(files_, &QPushButton::clicked, this, &AxisEditor::addFiles);
    columnIn(page, 1, {{ticks_, 1}, others_, {files_, 0, Qt::AlignLeft}});
    return page;
}

QWidget* AxisEditor::makeTexts() {
    auto* page = new QWidget(this);
    way_ = named("way", new QComboBox(page));
    way_->setAccessibleName(tr("How the text differs"));
    way_->addItem(tr("A word is replaced"));
    way_->addItem(tr("A text on each line"));
    texts_ = named("texts", new QPlainTextEdit(page));
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
    columnIn(page, 1, {way_, {texts_, 1}});
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
        others_->setVisible(item.takesOthers && !item.param);
        files_->setVisible(item.takesOthers && item.param);
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

SheetDialog::SheetDialog(const graph::Document& document,
                         const graph::Catalog& catalog,
                         const OfferedFiles* offered,
                         Runner& runner,
                         Background& background,
                         const Json& options,
                         QWidget* parent)
    : QDialog(parent),
      document_(document),
      catalog_(catalog),
      items_(sheetItems(document, catalog)),
      options_(options),
      x_(named("x", new AxisEditor(document_, catalog_, items_, offered, false, this))),
      y_(named("y", new AxisEditor(document_, catalog_, items_, offered, true, this))),
      estimate_(runner, background) {
    setObjectName(QStringLiteral("sheet"));
    setWindowTitle(tr("Vary in a sheet"));
    build();
    rest_.setSingleShot(true);
    rest_.setInterval(kForecastRest);
    connect(&rest_, &QTimer::timeout, this, &SheetDialog::forecast);
    connect(&estimate_, &SheetEstimate::changed, this, [this](const SheetForecast& forecast) {
        time_->setText(timeText(forecast));
    });
    connect(x_, &AxisEditor::changed, this, &SheetDialog::take);
    connect(y_, &AxisEditor::changed, this, &SheetDialog::take);
    connect(measured_, &QCheckBox::toggled, this, &SheetDialog::take);
    preselect({});
    resize(kSheetDialogWidth, kSheetDialogHeight);
}

void SheetDialog::build() {
    QBoxLayout* axes =
        rowOf(3, {{framed(tr("Columns (X)"), x_, this), 1}, {framed(tr("Rows (Y)"), y_, this), 1}});
    measured_ = named(
        "measured", new QCheckBox(tr("Execute every node in every cell, to compare times"), this));
    measured_->setToolTip(
        tr("Otherwise nodes that do not depend on what differs run once, for all cells."));
    count_ = sentence("count", this);
    count_->setFont(Theme::current().font("strong"));
    time_ = sentence("time", this);
    seeds_ = sentence("seeds", this);
    setTextColour(*seeds_, "text.muted");
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* swapped = buttons->addButton(tr("Swap X and Y"), QDialogButtonBox::ActionRole);
    swapped->setObjectName(QStringLiteral("swap"));
    swapped->setAutoDefault(false);
    run_ = buttons->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
    run_->setObjectName(QStringLiteral("run"));
    run_->setDefault(true);
    connect(swapped, &QPushButton::clicked, this, &SheetDialog::swap);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::space(2));
    addAll(*column, {{axes, 1}, measured_, count_, time_, seeds_, buttons});
}

int SheetDialog::indexOf(const std::string& node, const std::string& item) const {
    const auto found = std::find_if(items_.begin(), items_.end(), [&](const SheetItem& each) {
        return each.node == node && each.item == item;
    });
    return found == items_.end() ? -1 : static_cast<int>(found - items_.begin());
}

void SheetDialog::preselect(const SheetRequest& request) {
    const int steps = firstStepsIn(items_);
    const int wished = request.node.empty() ? steps : indexOf(request.node, request.item);
    x_->choose(request.areRows ? (steps == wished ? -1 : steps) : wished);
    y_->choose(request.areRows ? wished : -1);
    (request.areRows ? y_ : x_)->focusValues();
    take();
}

void SheetDialog::swap() {
    x_->swapWith(*y_);
}

std::optional<SheetPlan> SheetDialog::planNow() const {
    std::optional<SheetAxis> x = x_->axis();
    std::optional<SheetAxis> y = y_->axis();
    if (!x || (y_->chosen() >= 0 && !y)) {
        return std::nullopt;
    }
    SheetPlan plan{.x = std::move(*x), .y = std::move(y)};
    plan.isMeasured = measured_->isChecked() || variesMemory(plan);
    return plan;
}

SheetPlan SheetDialog::plan() const {
    return planNow().value_or(SheetPlan{});
}

bool SheetDialog::savesImages() const {
    return std::any_of(document_.nodes.begin(), document_.nodes.end(), [&](const auto& entry) {
        const NodeDesc* desc = catalog_.find(entry.second.type);
        return desc && desc->output && desc->sideEffect &&
               entry.second.mode == graph::NodeMode::Active;
    });
}

/// Why it cannot start; empty: it can.
QString SheetDialog::refusal() const {
    if (!savesImages()) {
        return tr("This graph saves no image. Add “Save image” at its end.");
    }
    if (x_->chosen() < 0) {
        return tr("Choose what differs from column to column.");
    }
    if (x_->chosen() == y_->chosen()) {
        return tr("Columns and rows differ in the same. Choose another one for the rows.");
    }
    const std::optional<SheetPlan> plan = planNow();
    if (!plan) {
        return tr("Fix the values that are marked.");
    }
    if (plan->cells() > kMostVariants) {
        return tr("%1 × %2 are %3 images; a sheet holds %4 at most. Use fewer values.")
            .arg(plan->columns())
            .arg(plan->rows())
            .arg(plan->cells())
            .arg(kMostVariants);
    }
    if (plan->cells() < 2) {
        return tr("One image is no sheet. Give another value.");
    }
    return {};
}

QString SheetDialog::countText(const SheetPlan& plan) const {
    return plan.y ? tr("%1 × %2 values make %n images.", nullptr, static_cast<int>(plan.cells()))
                        .arg(plan.columns())
                        .arg(plan.rows())
                  : tr("%n images.", nullptr, static_cast<int>(plan.cells()));
}

/// Nodes that all cells share are counted in each: it is never longer than that.
QString SheetDialog::timeText(const SheetForecast& forecast) const {
    if (forecast.refused > 0) {
        return tr("%n cannot run: %1", nullptr, static_cast<int>(forecast.refused))
            .arg(forecast.problem);
    }
    if (forecast.unknown > 0) {
        return tr("How long they take is not known while a run is at work.");
    }
    if (forecast.planned < forecast.cells) {
        return tr("Planning: %1 of %2").arg(forecast.planned).arg(forecast.cells);
    }
    const QString time = durationText(forecast.seconds);
    if (forecast.isRehearsal) {
        return measured_->isChecked() ? tr("All of them: %1 on such a GPU.").arg(time)
                                      : tr("All of them: %1 at most on such a GPU.").arg(time);
    }
    return measured_->isChecked() ? tr("All of them: %1 (estimate).").arg(time)
                                  : tr("All of them: %1 at most (estimate).").arg(time);
}

QString SheetDialog::seedText() const {
    if (isSeed(items_, x_->chosen()) || isSeed(items_, y_->chosen())) {
        return tr("Seeds are what differs here.");
    }
    QStringList seeds;
    for (const SheetItem& item : items_) {
        if (item.param && item.param->kind == ParamKind::Seed) {
            seeds << QString::fromStdString(ownText(item, document_));
        }
    }
    return seeds.isEmpty()     ? QString()
           : seeds.size() == 1 ? tr("Every cell has the seed %1.").arg(seeds.front())
                               : tr("Every cell has the seeds %1.").arg(listed(seeds));
}

void SheetDialog::take() {
    const QString problem = refusal();
    const std::optional<SheetPlan> plan = planNow();
    const bool mustMeasure = plan && variesMemory(*plan);
    measured_->setEnabled(!mustMeasure);
    if (mustMeasure && !measured_->isChecked()) {
        measured_->setChecked(true);  // comes back here
        return;
    }
    setTextColour(*count_, problem.isEmpty() ? "text" : "error");
    count_->setText(problem.isEmpty() && plan ? countText(*plan) : problem);
    seeds_->setText(seedText());
    run_->setEnabled(problem.isEmpty());
    estimate_.forget();
    time_->setText(problem.isEmpty() ? tr("Planning...") : QString());
    problem.isEmpty() ? rest_.start() : rest_.stop();
}

void SheetDialog::forecast() {
    if (const std::optional<SheetPlan> plan = planNow()) {
        estimate_.ask(*plan, document_, catalog_, options_);
    }
}

}  // namespace lowtide::ui
