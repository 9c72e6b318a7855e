#include "ui/panels/presets_browser.hpp"

#include "ui/editors/picker.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/memory_line.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeWidget>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kDetailsImage = 64;
constexpr int kDetailsWidth = 232;
constexpr int kFilesHeight = 96;

/// By the parameter that names the file.
QString fileKindText(const QString& kind) {
    const std::pair<const char*, QString> known[] = {
        {"checkpoint", PresetDetails::tr("Checkpoint")},
        {"unet", PresetDetails::tr("Denoiser")},
        {"vae", PresetDetails::tr("Autoencoder")},
        {"upscaler", PresetDetails::tr("Upscaler")},
        {"controlnet", PresetDetails::tr("ControlNet")},
        {"adapter", PresetDetails::tr("IP-Adapter")},
        {"image_encoder", PresetDetails::tr("Image encoder")},
        {"file", PresetDetails::tr("Weights")},
        {"image", PresetDetails::tr("Image")},
        {"video", PresetDetails::tr("Video")}};
    const auto* found = std::ranges::find_if(
        known, [&](const auto& each) { return kind == QLatin1String(each.first); });
    return found == std::end(known) ? kind : found->second;
}

bool isMissing(const QTreeWidgetItem& item) {
    return item.data(0, Qt::UserRole).toBool();
}

/// The chosen one where it is missing, else the first that is; nullptr: all are there.
const QTreeWidgetItem* itemToLocate(const QTreeWidget& files) {
    const QTreeWidgetItem* chosen = files.currentItem();
    if (chosen && isMissing(*chosen)) {
        return chosen;
    }
    for (int row = 0; row < files.topLevelItemCount(); ++row) {
        if (isMissing(*files.topLevelItem(row))) {
            return files.topLevelItem(row);
        }
    }
    return nullptr;
}

constexpr int kTagsOffset = 110;

bool isUsable(const PresetEntry& entry) {
    return entry.problem.isEmpty() && entry.isComplete();
}

bool matches(const PresetEntry& entry, const QString& words, const QString& tag) {
    if (!tag.isEmpty() && !entry.tags.contains(tag)) {
        return false;
    }
    QStringList all{
        entry.title, entry.description, entry.english.join(u' '), entry.tags.join(u' ')};
    std::ranges::transform(entry.tags, std::back_inserter(all), tagText);
    return hasWords(all.join(u' '), words);
}

}  // namespace

PresetDetails::PresetDetails(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("presetDetails"));
    setMinimumWidth(kDetailsWidth);
    image_ = new QLabel(this);
    title_ = makeText({}, "presetTitle", this, "title", "text");
    tags_ = makeText({}, "presetTags", this, "small", "text.muted");
    description_ = makeText({}, "presetDescription", this, "body", "text");
    needs_ = makeText({}, "presetNeeds", this, "body", "text");
    problem_ = makeText({}, "presetProblem", this, "body", "error");
    files_ = named("presetFiles", new QTreeWidget(this));
    files_->setAccessibleName(tr("Files that it needs"));
    files_->setColumnCount(2);
    files_->setHeaderHidden(true);
    files_->setRootIsDecorated(false);
    files_->setFrameShape(QFrame::NoFrame);
    files_->header()->setStretchLastSection(false);
    files_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    files_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(files_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        if (isMissing(*item)) {
            askFor(*item);
        }
    });
    locate_ = makeButton(tr("Locate..."), "locateFile", this);
    connect(locate_, &QPushButton::clicked, this, [this] {
        if (const QTreeWidgetItem* item = itemToLocate(*files_)) {
            askFor(*item);
        }
    });
    open_ = makeButton(tr("Open"), "openPreset", this);
    rename_ = makeButton(tr("Rename..."), "renamePreset", this);
    remove_ = makeButton(tr("Remove"), "removePreset", this);
    export_ = makeButton(tr("Export..."), "exportPreset", this);
    connect(open_, &QPushButton::clicked, this, &PresetDetails::openAsked);
    connect(rename_, &QPushButton::clicked, this, &PresetDetails::renameAsked);
    connect(remove_, &QPushButton::clicked, this, &PresetDetails::removeAsked);
    connect(export_, &QPushButton::clicked, this, &PresetDetails::exportAsked);

    auto* buttons = new FlowRow;
    buttons->setSpacing(Theme::space(2));
    for (QPushButton* each : {rename_, export_, remove_}) {
        each->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        buttons->addWidget(each);
    }
    files_->setMaximumHeight(kFilesHeight);
    QBoxLayout* names = columnIn(nullptr, 1, {title_, tags_, Cell::spring()});
    columnIn(this,
             2,
             {4, 4, 4, 4},
             {rowOf(3, {image_, {names, 1}}),
              description_,
              problem_,
              needs_,
              files_,
              locate_,
              Cell::spring(),
              open_,
              buttons});
    setEntry(nullptr);
}

void PresetDetails::setEntry(const PresetEntry* entry) {
    const PresetEntry shown = entry ? *entry : PresetEntry();
    const bool isOwn = entry && !shown.isBuiltin;
    image_->setPixmap(entry ? cardImage(shown, kDetailsImage, devicePixelRatioF()) : QPixmap());
    title_->setText(entry ? shown.title : tr("Choose a preset"));
    QStringList tags;
    std::ranges::transform(shown.tags, std::back_inserter(tags), tagText);
    if (entry) {
        tags.push_back(shown.isBuiltin ? tr("built in") : tr("your own"));
    }
    if (shown.cardMemory > 0) {
        tags.push_back(tr("cards from %1").arg(bytesText(shown.cardMemory)));
    }
    for (QString& tag : tags) {
        tag.replace(QLatin1Char(' '), QChar::Nbsp);  // lines break between tags, not within one
    }
    tags_->setText(tags.join(QStringLiteral(" · ")));
    showText(*description_, shown.description);
    showText(*problem_, shown.problem);
    needs_->hide();
    showFiles(shown);
    open_->setEnabled(entry && shown.problem.isEmpty());
    export_->setEnabled(entry != nullptr);
    rename_->setEnabled(isOwn && shown.problem.isEmpty());
    remove_->setEnabled(isOwn);
}

void PresetDetails::addTo(QMenu& menu) const {
    for (QPushButton* button : {open_, rename_, export_, remove_}) {
        QAction* action = menu.addAction(button->text());
        action->setEnabled(button->isEnabled());
        connect(action, &QAction::triggered, button, &QPushButton::click);
    }
}

void PresetDetails::showFiles(const PresetEntry& entry) {
    files_->clear();
    for (const RequiredFile& file : entry.files) {
        auto* item = new QTreeWidgetItem(files_, {file.value, fileKindText(file.kind)});
        const char* icon = file.isThere ? "check" : "warning";
        item->setIcon(0, Theme::current().icon(icon, file.isThere ? "success" : "warning"));
        item->setData(0, Qt::UserRole, !file.isThere);
        item->setData(1, Qt::UserRole, file.kind);
        item->setToolTip(0,
                         file.isThere
                             ? tr("%1 is there").arg(file.value)
                             : tr("%1 is missing. Press Enter to locate it.").arg(file.value));
    }
    files_->setVisible(!entry.files.empty());
    locate_->setVisible(!entry.isComplete());
}

void PresetDetails::askFor(const QTreeWidgetItem& item) {
    Q_EMIT locateAsked(item.data(1, Qt::UserRole).toString(), item.text(0));
}

void PresetDetails::setNeeds(const Planned& needs) {
    const MemoryLine line = memoryLineOf(needs);
    showText(*needs_, line.text);
    needs_->setToolTip(line.detail);
    setTextColour(*needs_, line.fits ? "text" : "error");
}

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
    message_ = makeText({}, "presetMessage", this);
    message_->setMargin(Theme::space(3));
    message_->hide();
    columnIn(this, 0, {makeBar(), message_, {pages_, 1}, details_});
    connect(cards_, &PresetCards::chosenChanged, this, &PresetsBrowser::showChosen);
    connect(cards_, &PresetCards::taken, this, [this] { details_->openAsked(); });
    cards_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(cards_, &QWidget::customContextMenuRequested, this, [this](const QPoint& point) {
        auto* menu = named("presetMenu", new QMenu(this));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        details_->addTo(*menu);
        menu->popup(cards_->viewport()->mapToGlobal(point));
    });
    connect(&store_, &PresetStore::changed, this, &PresetsBrowser::reload);
    connectDetails();
    reload();
}

QWidget* PresetsBrowser::makeBar() {
    auto* bar = new QWidget(this);
    search_ = named("presetSearch", new QLineEdit(bar));
    search_->setPlaceholderText(tr("Search presets"));
    search_->setAccessibleName(search_->placeholderText());
    tag_ = named("presetTag", new QComboBox(bar));
    tag_->setAccessibleName(tr("Tag"));
    tag_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    tag_->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);  // a tag is never cut
    tag_->addItem(tr("All tags"), QString());
    QPushButton* save = makeButton(tr("Save as preset..."), "savePreset", bar);
    QPushButton* import = makeButton(tr("Import..."), "importPreset", bar);
    restore_ = makeButton(tr("Undo remove"), "restorePreset", bar);
    connect(search_, &QLineEdit::textChanged, this, &PresetsBrowser::searchAgain);
    connect(search_, &QLineEdit::returnPressed, this, [this] { Q_EMIT details_->openAsked(); });
    connect(tag_, &QComboBox::currentIndexChanged, this, &PresetsBrowser::searchAgain);
    connect(save, &QPushButton::clicked, this, &PresetsBrowser::saveAsked);
    connect(import, &QPushButton::clicked, this, &PresetsBrowser::importFile);
    connect(restore_, &QPushButton::clicked, this, &PresetsBrowser::restore);
    // Next to the search in languages that are short enough, else below it.
    const bool isShort =
        search_->fontMetrics().horizontalAdvance(search_->placeholderText()) <= kTagsOffset;
    auto* files = new FlowRow;
    files->setSpacing(Theme::space(2));
    for (QPushButton* each : {save, import}) {
        each->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        files->addWidget(each);
    }
    columnIn(bar,
             2,
             {3, 2, 3, 2},
             {rowOf(2, {{search_, 1}, isShort ? tag_ : nullptr}),
              isShort ? nullptr : tag_,
              files,
              restore_});
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

PresetsBrowser::Search PresetsBrowser::search() const {
    return {.words = search_->text(), .tag = tag_->currentData().toString()};
}

void PresetsBrowser::setSearch(const Search& search) {
    search_->setText(search.words);
    tag_->setCurrentIndex(std::max(0, tag_->findData(search.tag)));
}

void PresetsBrowser::setNeeds(const QString& id, const Planned& needs) {
    if (id == chosen()) {
        details_->setNeeds(needs);
    }
}

void PresetsBrowser::reload() {
    QStringList tags;
    for (const PresetEntry& entry : store_.entries()) {
        tags += entry.tags;
    }
    tags.removeDuplicates();
    tags.sort();
    QList<std::pair<QString, QVariant>> choices;
    for (const QString& each : tags) {
        choices.emplaceBack(tagText(each), each);
    }
    refill(*tag_, choices);
    restore_->setVisible(store_.canRestore());
    if (!isSettled_ || !isVisible()) {
        settle();
    }
    filter();
}

/// While somebody looks, files that come or go change cards, not their order.
void PresetsBrowser::settle() {
    usable_.clear();
    for (const PresetEntry& entry : store_.entries()) {
        usable_[entry.id] = isUsable(entry);
    }
    isSettled_ = !store_.isLooking();
}

/// As it is now for one that came since.
bool PresetsBrowser::wasUsable(const PresetEntry& entry) {
    return usable_.try_emplace(entry.id, isUsable(entry)).first->second;
}

void PresetsBrowser::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    settle();
    filter();
}

/// What is found begins at the top, wherever the card lay that was chosen before.
void PresetsBrowser::searchAgain() {
    cards_->setCurrentIndex({});
    settle();
    filter();
}

void PresetsBrowser::filter() {
    std::vector<const PresetEntry*> shown;
    for (const PresetEntry& entry : store_.entries()) {
        if (matches(entry, search_->text(), tag_->currentData().toString())) {
            shown.push_back(&entry);
        }
    }
    std::ranges::stable_partition(shown, [](const PresetEntry* entry) {
        return !entry->isBuiltin;  // what the user made is looked for first
    });
    // Those of that name come before those that only speak of the words.
    const QString phrase = search_->text().simplified();
    std::ranges::stable_partition(shown, [&](const PresetEntry* entry) {
        return entry->title.contains(phrase, Qt::CaseInsensitive) ||
               entry->english.value(0).contains(phrase, Qt::CaseInsensitive);
    });
    std::ranges::stable_partition(shown,
                                  [this](const PresetEntry* entry) { return wasUsable(*entry); });
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
        attempt([&] {
            const ImportedPreset imported = store_.importFile(path);
            choose(imported.id);
            const QString title = store_.find(imported.id)->title;
            Q_EMIT reported(imported.isNew ? tr("Imported the preset “%1”.").arg(title)
                                           : tr("The preset “%1” is there already.").arg(title));
        });
    });
    dialog->open();
}

void PresetsBrowser::exportFile() {
    auto* dialog = new QFileDialog(this, tr("Export the preset"), {}, tr("Presets (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, id = chosen()](const QString& path) {
        attempt([&] {
            store_.exportFile(id, path);
            Q_EMIT reported(
                tr("Exported the preset “%1” to %2.").arg(store_.find(id)->title, path));
        });
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
