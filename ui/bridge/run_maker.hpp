#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace lowtide::ui {

/// Makes many runs a few milliseconds at a time, so that the window answers meanwhile. GUI thread
/// only.
class RunMaker : public QObject {
    Q_OBJECT

public:
    /// Run number `number`, from 0; nullopt: none, and none after it.
    using Next = std::function<std::optional<AskedRun>(uint64_t number)>;
    using Take = std::function<void(std::vector<AskedRun> runs)>;

    explicit RunMaker(QObject* parent = nullptr);

    /// `take` gets the first of `count` runs at once, and all others together when they are made.
    void make(uint64_t count, Next next, Take take);
    /// What is still to be made is made and taken now.
    void finish();

private:
    struct Work {
        uint64_t count = 0;
        Next next;
        Take take;
        uint64_t number = 0;
        std::vector<AskedRun> made{};
    };

    static void work(Work& work, int milliseconds);
    static void hand(Work& work);
    void goOn();

    std::deque<Work> waiting_;
    QTimer soon_;
};

}  // namespace lowtide::ui
