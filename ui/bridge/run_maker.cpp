#include "ui/bridge/run_maker.hpp"

#include <QElapsedTimer>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kSliceMilliseconds = 15;
constexpr int kUntilMade = -1;

}  // namespace

RunMaker::RunMaker(QObject* parent) : QObject(parent) {
    connect(&soon_, &QTimer::timeout, this, &RunMaker::goOn);
}

void RunMaker::make(uint64_t count, Next next, Take take) {
    Work all{.count = count, .next = std::move(next), .take = std::move(take)};
    if (waiting_.empty()) {
        work(all, kSliceMilliseconds);
        hand(all);
    }
    if (all.number < all.count) {
        waiting_.push_back(std::move(all));
        soon_.start(0);
    }
}

void RunMaker::work(Work& work, int milliseconds) {
    QElapsedTimer clock;
    clock.start();
    while (work.number < work.count &&
           (milliseconds == kUntilMade || clock.elapsed() < milliseconds)) {
        if (std::optional<AskedRun> run = work.next(work.number++)) {
            work.made.push_back(std::move(*run));
        } else {
            work.number = work.count;
        }
    }
}

void RunMaker::hand(Work& work) {
    work.take(std::exchange(work.made, {}));
}

void RunMaker::goOn() {
    work(waiting_.front(), kSliceMilliseconds);
    if (waiting_.front().number == waiting_.front().count) {
        Work done = std::move(waiting_.front());
        waiting_.pop_front();
        hand(done);
    }
    if (waiting_.empty()) {
        soon_.stop();
    }
}

void RunMaker::finish() {
    while (!waiting_.empty()) {
        Work rest = std::move(waiting_.front());
        waiting_.pop_front();
        work(rest, kUntilMade);
        hand(rest);
    }
    soon_.stop();
}

}  // namespace lowtide::ui
