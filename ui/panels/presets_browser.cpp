#include "ui/panels/presets_browser.hpp"

#include "ui/language/module_texts.hpp"
#include "ui/panels/empty_state.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/panels/preset_details.hpp"
#include "ui/panels/token_colour.hpp"
#include "ui/theme/flow_row.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kBesideTags = 110;

bool matches(const PresetEntry& entry, const QString& words, const QString& tag) {
    if (!tag.isEmpty() && !entry.tags.contains(tag)) {
        return false;
    }
    QStringList all{
        entry.title, entry.description, entry.english.join(u' '), entry.tags.join(u' ')};
    std::transform(entry.tags.begin(), entry.tags.end(), std::back_inserter(all), tagText);
    const QString text = all.join(u' ');
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    return std::all_of(wanted.begin(), wanted.end(), [&](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

}  // namespace

PresetsBrowser::PresetsBrowser(PresetStore& store, QWidget* parent)
    : QWidget(parent), store_(store) {
    setObjectName(QStringLiteral("presetsBrowser"));
    cards_ = new PresetCards(this);
    details_ = new PresetDetails(this);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(cards_);
    pages_->addWidget(makeEmptyState({.icon = "search",
                                      .title = tr("No preset matches"),
                                      .text = tr("Search for other words, or choose all tags.")},
                                     pages_));
    message_ = new QLabel(this);
    message_->setObjectName(QStringLiteral("presetMessage"));
    message_->setWordWrap(true);
    message_->setMargin(Theme::space(3));
    message_->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(message_);
    column->addWidget(pages_, 1);
    column->addWidget(details_);
    connect(cards_, &PresetCards::chosenChanged, this, &PresetsBrowser::showChosen);
    connect(cards_, &PresetCards::taken, this, [this] { details_->openAsked(); });
    connect(&store_, &PresetStore::changed, this, &PresetsBrowser::reload);
    connectDetails();
    reload();
}

QWidget* PresetsBrowser::makeBar() {
    auto* bar = new QWidget(this);
    search_ = new QLineEdit(bar);
    search_->setObjectName(QStringLiteral("presetSearch"));
    search_->setPlaceholderText(tr("Search presets"));
    search_->setAccessibleName(search_->placeholderText());
    tag_ = new QComboBox(bar);
    tag_->setObjectName(QStringLiteral("presetTag"));
    tag_->setAccessibleName(tr("Tag"));
    tag_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* save = new QPushButton(tr("Save as preset..."), bar);
    save->setObjectName(QStringLiteral("savePreset"));
    auto* import = new QPushButton(tr("Import..."), bar);
    import->setObjectName(QStringLiteral("importPreset"));
    restore_ = new QPushButton(tr("Undo remove"), bar);
    restore_->setObjectName(QStringLiteral("restorePreset"));
    connect(search_, &QLineEdit::textChanged, this, &PresetsBrowser::search);
    connect(tag_, &QComboBox::currentIndexChanged, this, &PresetsBrowser::search);
    connect(save, &QPushButton::clicked, this, &PresetsBrowser::saveAsked);
    connect(import, &QPushButton::clicked, this, &PresetsBrowser::importFile);
    connect(restore_, &QPushButton::clicked, this, &PresetsBrowser::restore);
    auto* words = new QHBoxLayout;
    words->addWidget(search_, 1);
    // Beside the search in languages that are short enough, else below it.
    const bool isShort =
        search_->fontMetrics().horizontalAdvance(search_->placeholderText()) <= kBesideTags;
    if (isShort) {
        words->addWidget(tag_);
    }
    auto* files = new FlowRow;
    files->setSpacing(Theme::space(2));
    for (QPushButton* each : {save, import}) {
        each->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        files->addWidget(each);
    }
    auto* column = new QVBoxLayout(bar);
    column->setContentsMargins(Theme::space(3), Theme::space(2), Theme::space(3), Theme::space(2));
    column->setSpacing(Theme::space(2));
    column->addLayout(words);
    if (!isShort) {
        column->addWidget(tag_);
    }
    column->addLayout(files);
    column->addWidget(restore_);
    return bar;
}

void PresetsBrowser::connectDetails() {
    connect(details_, &PresetDetails::openAsked, this, [this] {
        const PresetEntry* entry = store_.find(chosen());
        if (entry && entry->problem.isEmpty()) {
            Q_EMIT openAsked(entry->id);
        }
    });
    connect(details_, &PresetDetails::renameAsked, this, &PresetsBrowser::rename);
    connect(details_, &PresetDetails::removeAsked, this, &PresetsBrowser::remove);
    connect(details_, &PresetDetails::exportAsked, this, &PresetsBrowser::exportFile);
    connect(details_,
            &PresetDetails::locateAsked,
            this,
            [this](const QString& kind, const QString& value) {
                Q_EMIT locateAsked(chosen(), kind, value);
            });
}

QString PresetsBrowser::chosen() const {
    return cards_->chosen();
}

void PresetsBrowser::choose(const QString& id) {
    if (!cards_->has(id) && store_.find(id)) {  // hidden by what was searched for
        search_->clear();
        tag_->setCurrentIndex(0);
    }
    if (cards_->has(id)) {
        cards_->choose(id);
    }
}

void PresetsBrowser::setNeeds(const QString& id, const Planned& needs) {
    if (id == chosen()) {
        details_->setNeeds(needs);
    }
}

void PresetsBrowser::reload() {
    const QString tag = tag_->currentData().toString();
    QStringList tags;
    for (const PresetEntry& entry : store_.entries()) {
        tags += entry.tags;
    }
    tags.removeDuplicates();
    tags.sort();
    const QSignalBlocker quiet(tag_);
    tag_->clear();
    tag_->addItem(tr("All tags"), QString());
    for (const QString& each : tags) {
        tag_->addItem(tagText(each), each);
    }
    tag_->setCurrentIndex(std::max(0, tag_->findData(tag)));
    restore_->setVisible(store_.canRestore());
    filter();
}

/// What is found begins at the top, wherever the card lay that was chosen before.
void PresetsBrowser::search() {
    cards_->setCurrentIndex({});
    filter();
}

void PresetsBrowser::filter() {
    std::vector<const PresetEntry*> shown;
    for (const PresetEntry& entry : store_.entries()) {
        if (matches(entry, search_->text(), tag_->currentData().toString())) {
            shown.push_back(&entry);
        }
    }
    std::stable_partition(shown.begin(), shown.end(), [](const PresetEntry* entry) {
        return !entry->isBuiltin;  // what a person made is looked for first
    });
    // Those of that name come before those that only speak of the words.
    const QString phrase = search_->text().simplified();
    std::stable_partition(shown.begin(), shown.end(), [&](const PresetEntry* entry) {
        return entry->title.contains(phrase, Qt::CaseInsensitive) ||
               entry->english.value(0).contains(phrase, Qt::CaseInsensitive);
    });
    cards_->setEntries(shown);
    pages_->setCurrentIndex(shown.empty() ? 1 : 0);
    showChosen(chosen());
}

void PresetsBrowser::showChosen(const QString& id) {
    const PresetEntry* entry = store_.find(id);
    details_->setEntry(entry);
    if (entry && entry->problem.isEmpty()) {
        Q_EMIT needsAsked(id);
    }
}

void PresetsBrowser::rename() {
    const PresetEntry* entry = store_.find(chosen());
    if (entry == nullptr) {
        return;
    }
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename preset"));
    dialog->setLabelText(tr("Title"));
    dialog->setTextValue(entry->title);
    connect(dialog,
            &QInputDialog::textValueSelected,
            this,
            [this, id = entry->id](const QString& title) {
                attempt([&] { store_.rename(id, title); });
            });
    dialog->open();
}

void PresetsBrowser::remove() {
    attempt([this] { store_.remove(chosen()); });
}

void PresetsBrowser::restore() {
    attempt([this] { cards_->choose(store_.restore()); });
}

void PresetsBrowser::importFile() {
    auto* dialog = new QFileDialog(
        this, tr("Import a preset or a graph"), {}, tr("Presets and graphs (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        attempt([&] { cards_->choose(store_.importFile(path)); });
    });
    dialog->open();
}

void PresetsBrowser::exportFile() {
    auto* dialog = new QFileDialog(this, tr("Export the preset"), {}, tr("Presets (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, id = chosen()](const QString& path) {
        attempt([&] { store_.exportFile(id, path); });
    });
    dialog->open();
}

void PresetsBrowser::attempt(const std::function<void()>& what) {
    try {
        what();
        message_->hide();
    } catch (const Error& error) {
        setTextColour(*message_, "error");
        message_->setText(errorSentences(error, ": "));
        message_->show();
    }
}

}  // namespace lowtide::ui
