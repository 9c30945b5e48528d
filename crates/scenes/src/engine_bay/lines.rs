//! Hoses and cables between the units.

use super::Bay;
use crate::solid::Tube;
use noli_geom::Relation;

pub(super) fn add(bay: &mut Bay) {
    hoses(bay);
    cables(bay);
    planted(bay);
}

fn hoses(bay: &mut Bay) {
    let upper = [
        [660.0, 545.0, 220.0],
        [670.0, 500.0, 240.0],
        [600.0, 440.0, 280.0],
        [500.0, 380.0, 300.0],
        [420.0, 280.0, 290.0],
        [400.0, 200.0, 250.0],
        [400.0, 185.0, 225.0],
    ];
    bay.line("hose.upper", Tube::hollow(14.0, 11.0), &upper);
    let lower = [
        [420.0, 548.0, 50.0],
        [400.0, 480.0, 50.0],
        [380.0, 400.0, 60.0],
        [360.0, 330.0, 60.0],
        [350.0, 285.0, 60.0],
    ];
    bay.line("hose.lower", Tube::hollow(14.0, 11.0), &lower);
    let intake = [[404.0, 360.0, 190.0], [370.0, 350.0, 195.0], [345.0, 310.0, 190.0], [340.0, 288.0, 150.0]];
    bay.line("intake.hose", Tube::hollow(20.0, 17.0), &intake);
    let washer = [
        [520.0, 215.0, 30.0],
        [480.0, 280.0, 25.0],
        [440.0, 350.0, 20.0],
        [300.0, 385.0, 20.0],
        [200.0, 400.0, 30.0],
        [170.0, 470.0, 60.0],
        [180.0, 500.0, 120.0],
    ];
    bay.line("hose.washer", Tube::solid(6.0), &washer);
    let vent = [
        [20.0, 500.0, 225.0],
        [100.0, 500.0, 218.0],
        [180.0, 490.0, 235.0],
        [205.0, 480.0, 300.0],
        [205.0, 470.0, 360.0],
    ];
    bay.line("hose.vent", Tube::hollow(8.0, 6.0), &vent);
}

fn cables(bay: &mut Bay) {
    let plus = [
        [640.0, 330.0, 160.0],
        [720.0, 360.0, 150.0],
        [800.0, 420.0, 150.0],
        [880.0, 340.0, 170.0],
        [930.0, 300.0, 210.0],
    ];
    bay.line("cable.plus", Tube::solid(5.0), &plus);
    let ground = [
        [880.0, 395.0, 215.0],
        [940.0, 380.0, 230.0],
        [985.0, 330.0, 200.0],
        [985.0, 250.0, 100.0],
        [960.0, 120.0, 40.0],
    ];
    bay.line("cable.ground", Tube::solid(5.0), &ground);
    let harness = [
        [20.0, 30.0, 230.0],
        [150.0, 40.0, 240.0],
        [280.0, 20.0, 245.0],
        [480.0, 15.0, 250.0],
        [600.0, 10.0, 230.0],
        [720.0, 40.0, 235.0],
        [900.0, 60.0, 240.0],
    ];
    bay.line("cable.harness", Tube::solid(8.0), &harness);
    let lamp = [
        [20.0, 470.0, 340.0],
        [30.0, 380.0, 360.0],
        [40.0, 280.0, 350.0],
        [60.0, 215.0, 240.0],
        [75.0, 215.0, 150.0],
        [80.0, 215.0, 90.0],
    ];
    bay.line("cable.lamp", Tube::solid(4.0), &lamp);
    let auxiliary = [
        [350.0, 500.0, 360.0],
        [380.0, 420.0, 370.0],
        [440.0, 330.0, 360.0],
        [470.0, 250.0, 330.0],
        [480.0, 165.0, 260.0],
        [480.0, 160.0, 225.0],
    ];
    bay.line("cable.auxiliary", Tube::solid(4.0), &auxiliary);
    let sensor = [[600.0, 470.0, 320.0], [600.0, 440.0, 280.0], [600.0, 410.0, 230.0], [600.0, 405.0, 180.0]];
    bay.line("cable.sensor", Tube::solid(4.0), &sensor);
}

fn planted(bay: &mut Bay) {
    bay.assembly.plant("hose.washer", "bracket.left", Relation::Intersecting);
    bay.assembly.plant("cable.plus", "battery.case", Relation::Intersecting);
    bay.assembly.plant("cable.sensor", "hose.upper", Relation::Intersecting);
}
