#include "ui/panels/first_start.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace lowtide::ui {

namespace {

bool isGpu(const Json& device) {
    const std::string kind = textIn(device, "kind");
    return kind != "cpu" && kind != "fake";
}

/// The better one of two devices; `best` may be nullptr.
bool isBetter(const Json& device, const Json* best) {
    const std::string kind = textIn(device, "kind");
    if (kind.empty() || kind == "fake") {
        return false;
    }
    if (best == nullptr || isGpu(device) != isGpu(*best)) {
        return best == nullptr || isGpu(device);
    }
    return bytesIn(device, "capacity") > bytesIn(*best, "capacity");
}

constexpr int kStartWidth = 584;
constexpr int kStartMargin = 6;  // in steps of the rhythm

/// One built-in preset of each kind: the balanced ones that can be opened with what is there. What
/// needs no image to begin with stands first.
std::vector<const PresetEntry*> beginnings(const PresetStore& store) {
    std::vector<const PresetEntry*> chosen;
    for (const PresetEntry& entry : store.entries()) {
        if (entry.isBuiltin && entry.isComplete() && entry.problem.isEmpty() &&
            entry.tags.contains(QStringLiteral("balanced"))) {
            chosen.push_back(&entry);
        }
    }
    std::ranges::stable_partition(chosen, [](const PresetEntry* entry) {
        return entry->tags.contains(QStringLiteral("text to image"));
    });
    return chosen;
}

}  // namespace

FoundDevice foundDevice(const Json& devices) {
    const Json* best = nullptr;
    if (!devices.is_array()) {
        return {.sentence = FirstStart::tr("Lowtide is looking for devices...")};
    }
    for (const Json& device : devices) {
        best = isBetter(device, best) ? &device : best;
    }
    if (best == nullptr) {
        return {.sentence = FirstStart::tr("Lowtide found no device to compute on.")};
    }
    const Bytes capacity = bytesIn(*best, "capacity");
    const QString name = QString::fromStdString(textIn(*best, "name")).simplified();
    const QString size = bytesText(capacity);
    const QString sentence =
        isGpu(*best)
            ? FirstStart::tr("Lowtide found the graphics card %1 with %2 of memory.")
                  .arg(name, size)
            : FirstStart::tr(
                  "Lowtide found no graphics card and computes on the processor (%1) with %2 of "
                  "memory.")
                  .arg(name, size);
    return {.id = QString::fromStdString(textIn(*best, "id")),
            .sentence = sentence,
            .capacity = capacity};
}

FirstStart::FirstStart(Settings& settings,
                       const PresetStore& store,
                       const FoundDevice& device,
                       QWidget* parent)
    : QDialog(parent), settings_(settings) {
    setObjectName(QStringLiteral("firstStart"));
    setWindowTitle(tr("Welcome to Lowtide"));
    auto* title = makeText(tr("Welcome to Lowtide"), "welcome", this, "display", "text");
    found_ = makeText({}, "deviceSentence", this, "body", "text");
    auto* question =
        makeText(tr("What do you want to begin with?"), "question", this, "title", "text");
    cards_ = new PresetCards(this);
    cards_->setEntries(beginnings(store));
    cards_->showWhole(kStartWidth - 2 * Theme::space(kStartMargin));
    lowMemory_ = named("lowMemory", new QCheckBox(tr("Low-memory mode"), this));
    auto* mode = makeText(tr("Collects unused memory after every stage; suggested up to 8 GiB. It "
                             "costs a little time, images remain the same."),
                          "modeNote",
                          this,
                          "small",
                          "text.muted");
    auto* note = makeText(tr("These use the small model that comes with Lowtide. Your own "
                             "checkpoints are added under Models."),
                          "modelNote",
                          this,
                          "small",
                          "text.muted");
    connect(lowMemory_, &QCheckBox::clicked, this, [this] { isModeChosen_ = true; });
    auto* rows = new QWidget(this);
    columnIn(rows,
             2,
             {kStartMargin, kStartMargin, kStartMargin, 2},
             {rowOf(2, {{title, 1}, {makeLanguages(), 0, Qt::AlignTop}}),
              found_,
              Cell::gap(2),
              question,
              cards_,
              note,
              Cell::gap(2),
              lowMemory_,
              mode});
    columnIn(this, 0, {{new ScrolledPart(rows, this), 1}, makeButtons()});
    for (QLabel* text : {found_, note, mode}) {
        text->setFixedWidth(kStartWidth - 2 * Theme::space(kStartMargin));
    }
    setDevice(device);
    cards_->setFocus();
}

QHBoxLayout* FirstStart::makeButtons() {
    QPushButton* keep = makeButton(tr("Keep the graph that is open"), "emptyGraph", this);
    keep->setAutoDefault(false);
    start_ = makeButton(tr("Start"), "start", this);
    start_->setDefault(true);
    start_->setEnabled(!cards_->chosen().isEmpty());
    connect(cards_, &PresetCards::taken, this, &FirstStart::start);
    connect(start_, &QPushButton::clicked, this, [this] { start(cards_->chosen()); });
    connect(keep, &QPushButton::clicked, this, [this] {
        keepSettings();
        reject();
    });
    return rowIn(
        nullptr, 2, {kStartMargin, 2, kStartMargin, kStartMargin}, {Cell::spring(), keep, start_});
}

QComboBox* FirstStart::makeLanguages() {
    auto* box = named("language", new QComboBox(this));
    setTip(*box, tr("Language"));
    for (const LanguageName& each : languages()) {
        box->addItem(Theme::current().icon("language"), each.name, each.code);
    }
    box->setCurrentIndex(box->findData(Language::code()));
    connect(box, &QComboBox::activated, this, [this, box] {
        const QString code = box->currentData().toString();
        if (code != Language::code()) {
            settings_.change([&](Preferences& preferences) { preferences.language = code; });
            done(kLanguageChosen);
        }
    });
    return box;
}

void FirstStart::setDevice(const FoundDevice& device) {
    device_ = device;
    found_->setText(device.sentence);
    if (!isModeChosen_) {
        lowMemory_->setChecked(isSmall());
    }
    resizeToScreen(*this);
}

bool FirstStart::isSmall() const {
    return device_.capacity > 0 && device_.capacity <= kLowMemoryCapacity;
}

void FirstStart::start(const QString& id) {
    keepSettings();
    accept();
    Q_EMIT presetChosen(id);
}

void FirstStart::keepSettings() {
    settings_.change([&](Preferences& preferences) {
        preferences.isFirstStartDone = true;
        // "auto" does by itself what is proposed; what differs from that was the user's choice.
        preferences.lowMemory = lowMemory_->isChecked() == isSmall() ? QStringLiteral("auto")
                                : lowMemory_->isChecked()            ? QStringLiteral("on")
                                                                     : QStringLiteral("off");
    });
}

}  // namespace lowtide::ui
