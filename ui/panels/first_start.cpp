#include "ui/panels/first_start.hpp"

#include "ui/panels/preset_cards.hpp"
#include "ui/panels/token_colour.hpp"
#include "ui/theme/theme.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr QSize kSize(712, 520);

QLabel* makeText(
    const QString& text, const char* name, const char* font, const char* token, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setObjectName(QLatin1String(name));
    label->setFont(Theme::current().font(font));
    label->setWordWrap(true);
    setTextColour(*label, token);
    return label;
}

/// One built-in preset of each kind: the balanced ones that can be opened with what is there.
std::vector<const PresetEntry*> beginnings(const PresetStore& store) {
    std::vector<const PresetEntry*> chosen;
    for (const PresetEntry& entry : store.entries()) {
        if (entry.isBuiltin && entry.isComplete() && entry.problem.isEmpty() &&
            entry.tags.contains(QStringLiteral("balanced"))) {
            chosen.push_back(&entry);
        }
    }
    return chosen;
}

}  // namespace

FirstStart::FirstStart(Settings& settings,
                       const PresetStore& store,
                       const FoundDevice& device,
                       QWidget* parent)
    : QDialog(parent), settings_(settings), device_(device) {
    setObjectName(QStringLiteral("firstStart"));
    setWindowTitle(tr("Welcome to Lowtide"));
    auto* title = makeText(tr("Welcome to Lowtide"), "welcome", "display", "text", this);
    auto* found = makeText(device.sentence, "deviceSentence", "body", "text", this);
    lowMemory_ = new QCheckBox(tr("Spare memory: collect what is unused after every stage"), this);
    lowMemory_->setObjectName(QStringLiteral("lowMemory"));
    lowMemory_->setChecked(device.capacity > 0 && device.capacity <= kLowMemoryCapacity);
    lowMemory_->setToolTip(
        tr("Proposed up to 8 GiB. It costs a little time; pictures stay the same."));
    auto* question =
        makeText(tr("What do you want to begin with?"), "question", "title", "text", this);
    cards_ = new PresetCards(this);
    cards_->setEntries(beginnings(store));
    for (const PresetEntry* entry : beginnings(store)) {
        if (entry->tags.contains(QStringLiteral("text to image"))) {
            cards_->choose(entry->id);
        }
    }
    auto* note = makeText(tr("These use the small model that comes with Lowtide. Your own "
                             "checkpoints are added under Models."),
                          "modelNote",
                          "small",
                          "text.muted",
                          this);
    auto* empty = new QPushButton(tr("Keep the graph that is open"), this);
    empty->setObjectName(QStringLiteral("emptyGraph"));
    start_ = new QPushButton(tr("Start"), this);
    start_->setObjectName(QStringLiteral("start"));
    start_->setDefault(true);
    start_->setEnabled(!cards_->chosen().isEmpty());
    connect(cards_, &PresetCards::taken, this, &FirstStart::start);
    connect(start_, &QPushButton::clicked, this, [this] { start(cards_->chosen()); });
    connect(empty, &QPushButton::clicked, this, [this] {
        keepSettings();
        reject();
    });

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(note, 1);
    buttons->addSpacing(Theme::space(4));
    buttons->addWidget(empty);
    buttons->addWidget(start_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(6), Theme::space(6), Theme::space(6), Theme::space(6));
    column->setSpacing(Theme::space(2));
    column->addWidget(title);
    column->addWidget(found);
    column->addWidget(lowMemory_);
    column->addSpacing(Theme::space(3));
    column->addWidget(question);
    column->addWidget(cards_, 1);
    column->addLayout(buttons);
    resize(kSize);
}

void FirstStart::start(const QString& id) {
    keepSettings();
    accept();
    Q_EMIT presetChosen(id);
}

void FirstStart::keepSettings() {
    const bool isSmall = device_.capacity > 0 && device_.capacity <= kLowMemoryCapacity;
    settings_.change([&](Preferences& preferences) {
        preferences.isFirstStartDone = true;
        // "auto" does by itself what is proposed; what differs from that was the person's choice.
        preferences.lowMemory = lowMemory_->isChecked() == isSmall ? QStringLiteral("auto")
                                : lowMemory_->isChecked()          ? QStringLiteral("on")
                                                                   : QStringLiteral("off");
    });
}

}  // namespace lowtide::ui
